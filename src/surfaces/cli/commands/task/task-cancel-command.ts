import type { Command } from 'commander';
import { answer, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { DONE, exitCodes } from '../../exit/exit-code.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../remote/server-options.js';
import { formatTaskResult } from '../../views/task/task-result.js';

export function define(command: Command, session: Session): void {
  addServerOptions(addFields(command, fieldsOf('task cancel'))).action(
    async (id: string, options: ServerOptions) => {
      const task = await (asksServer(options, session) ? cancelOnServer : cancelHere)(id, options, session);
      answer(session, options, task, value =>
        formatTaskResult(value, session.output.answerColors, Date.now()),
      );
      // It may have finished in the meantime, or not have stopped yet.
      session.exitWith(task.status === 'cancelled' ? DONE : exitCodes.failed);
    },
  );
}

async function cancelHere(id: string, options: ServerOptions, session: Session) {
  const { cancelTask } = await import('../../../../task/cancel-task.js');
  return withApp(session, options, app => cancelTask(app, { id }));
}

async function cancelOnServer(id: string, options: ServerOptions, session: Session) {
  const { withServer } = await import('../../remote/server-connection.js');
  return withServer(session, options, ({ client }) => client.tasks.cancel(id));
}
