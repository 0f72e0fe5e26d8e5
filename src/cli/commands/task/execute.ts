import type { Command } from 'commander';
import { exitCodeOfTask } from '../../carry-out.js';
import { TaskArgument } from '../../command.js';
import { type CommonOptions, type Session, withApp } from '../../session.js';

/** What `--detach` starts in the background. Whoever wants to know how it goes asks `carrel task show`. */
export function define(command: Command, session: Session): void {
  command.addArgument(new TaskArgument()).action(async (id: string, options: CommonOptions) => {
    session.interruption.follow('finish');
    const { executeTask } = await import('../../../task/execute-task.js');
    const { signal } = session.interruption;
    // Recovery would start others for what this one is here for.
    const task = await withApp(session, options, app => executeTask(app, { id, signal }), false);
    if (options.json) session.output.json(task);
    session.exitWith(exitCodeOfTask(task, session));
  });
}
