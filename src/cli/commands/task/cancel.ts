import type { Command } from 'commander';
import { TaskArgument } from '../../command.js';
import { DONE, exitCodes } from '../../exit-code.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../server-options.js';
import { answer, type Session, withApp } from '../../session.js';
import { formatTaskResult } from '../../views/task-result.js';

export function define(command: Command, session: Session): void {
  addServerOptions(command.addArgument(new TaskArgument())).action(
    async (id: string, options: ServerOptions) => {
      const task = await (asksServer(options, session) ? cancelOnServer : cancelHere)(id, options, session);
      answer(session, options, task, value =>
        formatTaskResult(value, session.output.answerColors, Date.now()),
      );
      // It may have ended otherwise in the meantime, or not have ended yet.
      session.exitWith(task.status === 'cancelled' ? DONE : exitCodes.failed);
    },
  );
}

async function cancelHere(id: string, options: ServerOptions, session: Session) {
  const { cancelTask } = await import('../../../task/cancel-task.js');
  return withApp(session, options, app => cancelTask(app, { id }));
}

async function cancelOnServer(id: string, options: ServerOptions, session: Session) {
  const { withServer } = await import('../../server-connection.js');
  return withServer(session, options, ({ client }) => client.tasks.cancel(id));
}
