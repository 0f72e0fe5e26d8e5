import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';

interface NameOptions extends CommonOptions {
  readonly tasks?: boolean;
  readonly runs?: boolean;
}

/** Called on every press of Tab: on any error, print nothing. */
export function define(command: Command, session: Session): void {
  command
    .option('--tasks', 'print the ids of tasks instead')
    .option('--runs', 'print the ids of batch runs instead')
    .action(async (options: NameOptions) => {
      const quiet = { ...session, output: { ...session.output, narrate: () => {} } };
      const names = await listQuietly(quiet, options).catch(() => []);
      if (options.json) session.output.json(names);
      else if (names.length > 0) session.output.answer(names.join('\n'));
    });
}

/** A press of Tab starts no recovery. */
async function listQuietly(session: Session, options: NameOptions): Promise<string[]> {
  if (options.runs) {
    const { listRunIds } = await import('../../../../batch/record/find-run.js');
    return withApp(session, options, app => listRunIds(app), false);
  }
  if (options.tasks) {
    const { listTasks } = await import('../../../../task/record/list-tasks.js');
    const tasks = await withApp(session, options, (app, repository) => listTasks(app, { repository }), false);
    return tasks.map(task => task.id);
  }
  const { listNames } = await import('../../../../operations/workspace/find-workspace.js');
  return withApp(session, options, (app, repository) => listNames(app, { repository }), false);
}
