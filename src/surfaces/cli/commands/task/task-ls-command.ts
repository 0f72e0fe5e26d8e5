import type { Command } from 'commander';
import type { Task } from '../../../../domain/task/task.js';
import type { TaskStatus } from '../../../../domain/task/task-status.js';
import { answer, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../remote/server-options.js';
import { formatTaskTable } from '../../views/task/task-table.js';

interface ListOptions extends ServerOptions {
  readonly all?: boolean;
  readonly status?: TaskStatus;
  readonly limit?: number;
}

export function define(command: Command, session: Session): void {
  addServerOptions(addFields(command, fieldsOf('task ls')))
    .addHelpText('after', '\nA server lists the tasks of all repositories unless -R names one.')
    .action(async (options: ListOptions) => {
      const isRemote = asksServer(options, session);
      const tasks = await (isRemote ? listOnServer : listHere)(options, session);
      const isOfAll = options.all || isRemote;
      if (tasks.length === 0 && !options.json)
        return session.output.narrate(describeNone({ ...options, all: isOfAll }));
      answer(session, options, tasks, list => formatTaskTable(list, Date.now()));
    });
}

async function listHere(options: ListOptions, session: Session): Promise<Task[]> {
  const { listTasks } = await import('../../../../task/record/list-tasks.js');
  const { all, status, limit } = options;
  const statuses = status === undefined ? undefined : [status];
  return withApp(session, options, (app, repository) => listTasks(app, { repository, all, statuses, limit }));
}

/** A server lists the newest first; here the oldest comes first. */
async function listOnServer(options: ListOptions, session: Session): Promise<Task[]> {
  const { nameRepository, withServer } = await import('../../remote/server-connection.js');
  const { all = false, status, limit, repository: given } = options;
  return withServer(session, options, async server => {
    const repository = given === undefined || all ? undefined : nameRepository(session, options, server);
    const newest = await server.client.tasks.list({ repository, status, limit });
    return newest.toReversed();
  });
}

function describeNone({ all, status }: ListOptions): string {
  const which = status === undefined ? 'no tasks' : `no ${status} tasks`;
  return `there are ${which}${all ? '' : ' in this repository'}; start one with: carrel run "DESCRIPTION"`;
}
