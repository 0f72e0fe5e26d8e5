import type { Command } from 'commander';
import { TaskArgument } from '../../command.js';
import { DONE, exitCodes } from '../../exit-code.js';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatTaskResult } from '../../views/task-result.js';

export function define(command: Command, session: Session): void {
  command.addArgument(new TaskArgument()).action(async (id: string, options: CommonOptions) => {
    const { cancelTask } = await import('../../../task/cancel-task.js');
    const task = await withApp(session, options, app => cancelTask(app, { id }));
    answer(session, options, task, value => formatTaskResult(value, session.output.answerColors, Date.now()));
    // It may have ended otherwise in the meantime, or not have ended yet.
    session.exitWith(task.status === 'cancelled' ? DONE : exitCodes.failed);
  });
}
