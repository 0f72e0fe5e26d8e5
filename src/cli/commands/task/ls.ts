import { type Command, Option } from 'commander';
import { TASK_STATUSES, type TaskStatus } from '../../../domain/task-status.js';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatTaskTable } from '../../views/task-table.js';

interface ListOptions extends CommonOptions {
  readonly all?: boolean;
  readonly status?: TaskStatus;
}

export function define(command: Command, session: Session): void {
  command
    .option('--all', 'the tasks of all repositories')
    .addOption(new Option('--status <status>', 'only those in this status').choices(TASK_STATUSES))
    .action(async (options: ListOptions) => {
      const { listTasks } = await import('../../../task/list-tasks.js');
      const { all, status } = options;
      const statuses = status === undefined ? undefined : [status];
      const tasks = await withApp(session, options, (app, repository) =>
        listTasks(app, { repository, all, statuses }),
      );
      if (tasks.length === 0 && !options.json) return session.output.narrate(describeNone(options));
      answer(session, options, tasks, list => formatTaskTable(list, Date.now()));
    });
}

function describeNone({ all, status }: ListOptions): string {
  const which = status === undefined ? 'no tasks' : `no ${status} tasks`;
  return `there are ${which}${all ? '' : ' in this repository'}; start one with: carrel run "DESCRIPTION"`;
}
