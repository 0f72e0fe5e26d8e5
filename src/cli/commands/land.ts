import type { Command } from 'commander';
import type { App } from '../../app.js';
import { isCarrelError } from '../../domain/error.js';
import type { LandResult } from '../../domain/result.js';
import type { LandInput } from '../../operations/land.js';
import { chooseOne, WorkspaceArgument } from '../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';
import { formatLanding } from '../views/landing.js';

interface LandOptions extends CommonOptions {
  readonly into?: string;
  readonly squash?: boolean;
  readonly rebase?: boolean;
  readonly merge?: boolean;
  readonly message?: string;
  readonly keep?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(
      new WorkspaceArgument(
        '<name>',
        'the workspace: its name, its id, or the beginning of its id; or a task',
      ),
    )
    .option('--into <branch>', 'the branch to land on (default: the one it was made from)')
    .option('--squash', 'land everything as one commit')
    .option('--rebase', 'land the commits one by one on top of the branch')
    .option('--merge', 'land with a merge commit')
    .option('-m, --message <text>', 'commit what is uncommitted first, and use this as the message')
    .option('--keep', 'keep the workspace afterwards')
    .action(async (name: string, options: LandOptions) => {
      session.interruption.follow('finish');
      const strategy = chooseOne(options, { squash: '--squash', rebase: '--rebase', merge: '--merge' });
      const { into, message, keep } = options;
      const { signal } = session.interruption;
      const result = await withApp(session, options, (app, repository) =>
        landNamed(app, { repository, name, into, strategy, message, keep, signal }),
      );
      for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
      session.output.narrate(formatLanding(result));
      answer(session, options, result, ({ after }) => after);
    });
}

const TASK_PREFIX = 'task_';

/** A workspace may have a name like that, too, and goes first. */
async function landNamed(app: App, input: LandInput): Promise<LandResult> {
  const { landWorkspace } = await import('../../operations/land.js');
  try {
    return await landWorkspace(app, input);
  } catch (error) {
    const isTask = isCarrelError(error, 'WORKSPACE_NOT_FOUND') && input.name.startsWith(TASK_PREFIX);
    if (!isTask) throw error;
  }
  const { landTask } = await import('../../task/land-task.js');
  const { name, repository, ...wishes } = input;
  return landTask(app, { id: name, ...wishes });
}
