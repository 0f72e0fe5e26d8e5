import { useState } from 'react';
import type { CarrelEvent } from '../../../../src/domain/event.js';
import type { Task } from '../../../../src/domain/task.js';
import { AnswerView } from '../../components/answer-view.js';
import { Command } from '../../components/command.js';
import { EmptyState } from '../../components/empty-state.js';
import { useFilter } from '../../components/filter-field.js';
import { PageHead } from '../../components/page-head.js';
import { DataTable } from '../../components/table/data-table.js';
import { useAnswer } from '../../server/use-answer.js';
import { NewTaskDialog } from './new-task-dialog.js';
import { TASK_COLUMNS } from './task-columns.js';
import { TasksFilter, useTaskWish } from './tasks-filter.js';
import { useNewKey } from './use-new-key.js';

/** The server gives no more at once. */
const MOST = 1_000;

export function TasksPage() {
  const answer = useAnswer({
    key: 'tasks',
    load: (client, signal) => client.tasks.list({ limit: MOST, signal }),
    changesWith: isAboutTasks,
  });
  const [isAsking, setAsking] = useState(false);
  const ask = () => setAsking(true);
  useNewKey(ask);
  return (
    <>
      <PageHead title="Tasks">
        <button type="button" className="primary" aria-keyshortcuts="n" onClick={ask}>
          New task…
        </button>
      </PageHead>
      <AnswerView answer={answer}>{tasks => <Tasks tasks={tasks} />}</AnswerView>
      {isAsking && <NewTaskDialog known={answer.data ?? []} onClose={() => setAsking(false)} />}
    </>
  );
}

const isAboutTasks = ({ type }: CarrelEvent): boolean =>
  type.startsWith('task.') || type.startsWith('stage.');

function Tasks({ tasks }: { readonly tasks: readonly Task[] }) {
  const matches = useTaskWish();
  const found = useFilter(tasks.filter(matches), searchText);
  if (tasks.length === 0)
    return (
      <EmptyState title="There is no task yet">
        Give an agent something to do: <Command text={'carrel run "fix the failing test"'} />
      </EmptyState>
    );
  return (
    <>
      <TasksFilter tasks={tasks} found={found.length} />
      <DataTable
        caption="Tasks"
        rows={found}
        columns={TASK_COLUMNS}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/tasks/${id}`}
        sortedBy="-created"
      />
    </>
  );
}

const searchText = ({ id, description, repository, workflow, agent, branch, failure }: Task): string =>
  [id, description, repository, workflow, agent, branch, failure?.kind].join(' ');
