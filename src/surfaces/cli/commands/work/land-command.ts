import type { Command } from 'commander';
import type { App } from '../../../../app.js';
import { isCarrelError } from '../../../../domain/error/error.js';
import type { LandResult } from '../../../../domain/report/result.js';
import type { LandInput } from '../../../../operations/workspace/land.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { chooseOne } from '../../command.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { warnOfAutorunFiles } from '../../views/workspace/autorun-warning.js';
import { formatLanding } from '../../views/workspace/landing-report.js';

interface LandOptions extends CommonOptions {
  readonly into?: string;
  readonly squash?: boolean;
  readonly rebase?: boolean;
  readonly merge?: boolean;
  readonly message?: string;
  readonly keep?: boolean;
  readonly allowAutorunFiles?: boolean;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('land'))
    .option('--squash', 'land everything as one commit')
    .option('--rebase', 'land the commits one by one on top of the branch')
    .option('--merge', 'land with a merge commit')
    .action(async (name: string, options: LandOptions) => {
      session.interruption.follow('finish');
      const strategy = chooseOne(options, { squash: '--squash', rebase: '--rebase', merge: '--merge' });
      const { into, message, keep, allowAutorunFiles } = options;
      const { signal } = session.interruption;
      let isFastForward = false;
      const onLanded: LandInput['onLanded'] = how => {
        isFastForward = how.isFastForward;
      };
      const result = await withApp(session, options, (app, repository) =>
        landNamed(app, {
          repository,
          name,
          into,
          strategy,
          message,
          keep,
          allowAutorunFiles,
          signal,
          onLanded,
        }),
      );
      for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
      warnOfAutorunFiles(session, result.autorunFiles);
      session.output.narrate(formatLanding(result, isFastForward));
      answer(session, options, result, ({ after }) => after);
    });
}

const TASK_PREFIX = 'task_';

/** A workspace with a name like that takes precedence. */
async function landNamed(app: App, input: LandInput): Promise<LandResult> {
  const { landWorkspace } = await import('../../../../operations/workspace/land.js');
  try {
    return await landWorkspace(app, input);
  } catch (error) {
    const isTask = isCarrelError(error, 'WORKSPACE_NOT_FOUND') && input.name.startsWith(TASK_PREFIX);
    if (!isTask) throw error;
  }
  const { landTask } = await import('../../../../task/delivery/land-task.js');
  const { name, repository, ...wishes } = input;
  return landTask(app, { id: name, ...wishes });
}
