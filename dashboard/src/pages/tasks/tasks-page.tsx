import { useState } from 'react';
import type { CarrelEvent } from '../../../../src/domain/event.js';
import type { Task } from '../../../../src/domain/task/task.js';
import { useFilter } from '../../components/field/filter-field.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { EmptyState } from '../../components/page/empty-state.js';
import { PageHead } from '../../components/page/page-head.js';
import { DataTable } from '../../components/table/data-table.js';
import { Command } from '../../components/text/command.js';
import { useAnswer } from '../../server/use-answer.js';
import { useNewKey } from '../../shell/use-new-key.js';
import { NewTaskDialog } from './new-task-dialog.js';
import { TASK_COLUMNS } from './task-columns.js';
import { TasksFilter, useTaskWish } from './tasks-filter.js';

/** The maximum that the server returns at once. */
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
      <EmptyState title="There are no tasks yet">
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
