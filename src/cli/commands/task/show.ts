import type { Command } from 'commander';
import { TaskArgument } from '../../command.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../server-options.js';
import { answer, type Session, withApp } from '../../session.js';
import { formatTaskPage } from '../../views/task-page.js';

export function define(command: Command, session: Session): void {
  addServerOptions(command.addArgument(new TaskArgument())).action(
    async (id: string, options: ServerOptions) => {
      const task = await (asksServer(options, session) ? showOnServer : showHere)(id, options, session);
      answer(session, options, task, value => formatTaskPage(value, session.output.answerColors, Date.now()));
    },
  );
}

async function showHere(id: string, options: ServerOptions, session: Session) {
  const { showTask } = await import('../../../task/show-task.js');
  return withApp(session, options, app => showTask(app, { id }));
}

async function showOnServer(id: string, options: ServerOptions, session: Session) {
  const { withServer } = await import('../../server-connection.js');
  return withServer(session, options, ({ client }) => client.tasks.show(id));
}
