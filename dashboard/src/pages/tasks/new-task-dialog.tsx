import { useState } from 'react';
import type { Task } from '../../../../src/domain/task/task.js';
import type { TaskRequest } from '../../../../src/task/create.operation.js';
import { Dialog } from '../../components/field/dialog.js';
import { ProblemView } from '../../components/page/problem-view.js';
import { derivedForms } from '../../forms/derived-forms.js';
import { OperationForm } from '../../forms/operation-form.js';
import { useAction } from '../../server/use-action.js';
import { useOverview } from '../../shell/overview-provider.js';
import { navigate } from '../../shell/router.js';

/** Starts a task; its page opens as soon as it is accepted. */
export function NewTaskDialog({
  known,
  onClose,
}: {
  /** Earlier tasks, for suggestions. */
  readonly known: readonly Task[];
  readonly onClose: () => void;
}) {
  const overview = useOverview().data;
  const { state, start } = useAction<Task>();
  const [request, setRequest] = useState<TaskRequest>({ description: '' });
  const send = () =>
    start(async client => {
      const task = await client.tasks.create(request);
      navigate(`/tasks/${task.id}`);
      return task;
    });
  return (
    <Dialog title="New task" onClose={onClose}>
      <OperationForm
        fields={derivedForms['task.create']}
        first={['description', 'repository', 'workflow', 'agent', 'isolation', 'strict']}
        required={overview?.repository ? [] : ['repository']}
        request={request}
        onChange={setRequest}
        suggestions={{
          repository: overview?.repositories ?? [],
          workflow: namesOf(known, ({ workflow }) => workflow),
          agent: namesOf(known, ({ agent }) => agent),
        }}
        placeholders={{ repository: overview?.repository ?? 'a path on the allowlist' }}
        button={{ label: 'Start the task', busy: 'Sending…' }}
        isBusy={state.step === 'busy'}
        onSubmit={send}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}

const namesOf = (tasks: readonly Task[], nameOf: (task: Task) => string | null): readonly string[] =>
  [...new Set(tasks.map(nameOf))].filter(name => name !== null).sort();
