import type { Task } from '../../../../src/domain/task/task.js';
import { Isolation } from '../../components/status/isolation.js';
import { TaskStatus } from '../../components/status/task-status.js';
import type { Column } from '../../components/table/column.js';
import { Age } from '../../components/text/age.js';
import { formatCost, lastPart } from '../../components/text/amounts.js';
import { taskTitle } from '../../components/text/task-title.js';
import { durationOf, TaskDuration } from './task-duration.js';

export const TASK_COLUMNS: readonly Column<Task>[] = [
  {
    key: 'description',
    title: 'Task',
    cell: taskTitle,
    sortBy: ({ description }) => description,
  },
  {
    key: 'status',
    title: 'Status',
    cell: ({ status }) => <TaskStatus status={status} />,
    sortBy: ({ status }) => status,
  },
  {
    key: 'repository',
    title: 'Repository',
    needs: 'medium',
    cell: ({ repository }) => <span title={repository}>{lastPart(repository)}</span>,
    sortBy: ({ repository }) => lastPart(repository),
  },
  {
    key: 'workflow',
    title: 'Workflow',
    needs: 'medium',
    cell: ({ workflow }) => workflow,
    sortBy: ({ workflow }) => workflow,
  },
  {
    key: 'isolation',
    title: 'Isolation',
    needs: 'wide',
    cell: ({ isolation }) => <Isolation {...isolation} />,
    sortBy: ({ isolation }) => isolation.effective ?? isolation.requested,
  },
  {
    key: 'duration',
    title: 'Time',
    needs: 'medium',
    alignsEnd: true,
    cell: task => <TaskDuration task={task} />,
    sortBy: task => durationOf(task, Date.now()),
  },
  {
    key: 'cost',
    title: 'Cost',
    needs: 'wide',
    alignsEnd: true,
    cell: ({ usage }) => (usage.costUsd === null ? '' : formatCost(usage.costUsd)),
    sortBy: ({ usage }) => usage.costUsd,
  },
  {
    key: 'created',
    title: 'Created',
    alignsEnd: true,
    cell: ({ createdAt }) => <Age at={createdAt} />,
    sortBy: ({ createdAt }) => Date.parse(createdAt),
  },
];
