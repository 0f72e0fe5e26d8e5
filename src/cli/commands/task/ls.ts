import { type Command, Option } from 'commander';
import type { Task } from '../../../domain/task.js';
import { TASK_STATUSES, type TaskStatus } from '../../../domain/task-status.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../server-options.js';
import { answer, type Session, withApp } from '../../session.js';
import { formatTaskTable } from '../../views/task-table.js';

interface ListOptions extends ServerOptions {
  readonly all?: boolean;
  readonly status?: TaskStatus;
}

export function define(command: Command, session: Session): void {
  addServerOptions(command)
    .option('--all', 'the tasks of all repositories')
    .addOption(new Option('--status <status>', 'only those in this status').choices(TASK_STATUSES))
    .addHelpText('after', '\nA server lists those of all repositories unless -R names one.')
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
  const { listTasks } = await import('../../../task/list-tasks.js');
  const { all, status } = options;
  const statuses = status === undefined ? undefined : [status];
  return withApp(session, options, (app, repository) => listTasks(app, { repository, all, statuses }));
}

/** A server gives the newest first; here they are listed as they were made. */
async function listOnServer(options: ListOptions, session: Session): Promise<Task[]> {
  const { nameRepository, withServer } = await import('../../server-connection.js');
  const { all = false, status, repository: given } = options;
  return withServer(session, options, async server => {
    const repository = given === undefined || all ? undefined : nameRepository(session, options, server);
    const newest = await server.client.tasks.list({ repository, ...(status && { status }) });
    return newest.toReversed();
  });
}

function describeNone({ all, status }: ListOptions): string {
  const which = status === undefined ? 'no tasks' : `no ${status} tasks`;
  return `there are ${which}${all ? '' : ' in this repository'}; start one with: carrel run "DESCRIPTION"`;
}
