import type { Task } from '../../../../src/domain/task.js';
import { TASK_STATUSES } from '../../../../src/domain/task-status.js';
import { countOf, lastPart } from '../../components/amounts.js';
import { FilterField } from '../../components/filter-field.js';
import { QuerySelect } from '../../components/query-select.js';
import { useQuery } from '../../shell/router.js';

/** What the address asks for, beside the words of the filter. */
export function useTaskWish(): (task: Task) => boolean {
  const [query] = useQuery();
  const status = query.get('status');
  const repository = query.get('repository');
  return task =>
    (status === null || task.status === status) && (repository === null || task.repository === repository);
}

export function TasksFilter({ tasks, found }: { readonly tasks: readonly Task[]; readonly found: number }) {
  const repositories = [...new Set(tasks.map(({ repository }) => repository))].sort();
  const all = countOf(tasks.length, 'task');
  return (
    <div className="filters">
      <QuerySelect name="status" label="Status" all="all statuses" values={TASK_STATUSES} />
      {repositories.length > 1 && (
        <QuerySelect
          name="repository"
          label="Repository"
          all="all repositories"
          values={repositories}
          textOf={lastPart}
        />
      )}
      <FilterField label="Filter tasks" found={found === tasks.length ? all : `${found} of ${all}`} />
    </div>
  );
}
