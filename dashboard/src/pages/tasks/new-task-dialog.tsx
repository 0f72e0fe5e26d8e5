import { useState } from 'react';
import type { TaskRequest } from '../../../../src/domain/api-requests.js';
import type { Task } from '../../../../src/domain/task.js';
import { Dialog } from '../../components/dialog.js';
import { ProblemView } from '../../components/problem-view.js';
import { useAction } from '../../server/use-action.js';
import { useOverview } from '../../shell/overview-provider.js';
import { navigate } from '../../shell/router.js';
import { NewTaskForm } from './new-task-form.js';

/** Has a task done; its page opens as soon as it is accepted. */
export function NewTaskDialog({
  known,
  onClose,
}: {
  /** Earlier tasks, for what may be typed. */
  readonly known: readonly Task[];
  readonly onClose: () => void;
}) {
  const overview = useOverview().data;
  const { state, start } = useAction<Task>();
  const [request, setRequest] = useState<TaskRequest>({ description: '' });
  const send = () =>
    start(async client => {
      const task = await client.tasks.create({ ...request, repository: request.repository ?? undefined });
      navigate(`/tasks/${task.id}`);
      return task;
    });
  return (
    <Dialog title="New task" onClose={onClose}>
      <NewTaskForm
        request={request}
        onChange={setRequest}
        repositories={overview?.repositories ?? []}
        own={overview?.repository ?? null}
        workflows={namesOf(known, ({ workflow }) => workflow)}
        agents={namesOf(known, ({ agent }) => agent)}
        isBusy={state.step === 'busy'}
        onSubmit={send}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}

const namesOf = (tasks: readonly Task[], nameOf: (task: Task) => string | null): readonly string[] =>
  [...new Set(tasks.map(nameOf))].filter(name => name !== null).sort();
