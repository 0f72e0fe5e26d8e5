import type { Command } from 'commander';
import { answer, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../remote/server-options.js';
import { formatTaskPage } from '../../views/task/task-page.js';

export function define(command: Command, session: Session): void {
  addServerOptions(addFields(command, fieldsOf('task show'))).action(
    async (id: string, options: ServerOptions) => {
      const task = await (asksServer(options, session) ? showOnServer : showHere)(id, options, session);
      answer(session, options, task, value => formatTaskPage(value, session.output.answerColors, Date.now()));
    },
  );
}

async function showHere(id: string, options: ServerOptions, session: Session) {
  const { showTask } = await import('../../../../task/record/show-task.js');
  return withApp(session, options, app => showTask(app, { id }));
}

async function showOnServer(id: string, options: ServerOptions, session: Session) {
  const { withServer } = await import('../../remote/server-connection.js');
  return withServer(session, options, ({ client }) => client.tasks.show(id));
}
