import type { Task } from '../../../../src/domain/task/task.js';
import { TASK_STATUSES } from '../../../../src/domain/task/task-status.js';
import { FilterField } from '../../components/field/filter-field.js';
import { QuerySelect } from '../../components/field/query-select.js';
import { countOf, lastPart } from '../../components/text/amounts.js';
import { useQuery } from '../../shell/router.js';

/** The filter in the URL, besides the search words. */
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
