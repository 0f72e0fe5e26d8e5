import type { Command } from 'commander';
import { exitCodeOfTask } from '../../actions/run-and-watch-task.js';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { TaskArgument } from '../../command.js';

/** `--detach` starts this in the background. `carrel task show` shows its progress. */
export function define(command: Command, session: Session): void {
  command.addArgument(new TaskArgument()).action(async (id: string, options: CommonOptions) => {
    session.interruption.follow('finish');
    const { executeTask } = await import('../../../../task/execute-task.js');
    const { signal } = session.interruption;
    // Recovery would start another process for the same work.
    const task = await withApp(session, options, app => executeTask(app, { id, signal }), false);
    if (options.json) session.output.json(task);
    session.exitWith(exitCodeOfTask(task, session));
  });
}
