import { useState } from 'react';
import type { Task } from '../../../../../src/domain/task/task.js';
import type { RejectTaskRequest } from '../../../../../src/task/approval/reject.operation.js';
import { Dialog } from '../../../components/field/dialog.js';
import { ProblemView } from '../../../components/page/problem-view.js';
import { derivedForms } from '../../../forms/derived-forms.js';
import { OperationForm } from '../../../forms/operation-form.js';
import { useAction } from '../../../server/use-action.js';
import type { TaskDialogProperties } from './task-actions.js';
import { fieldsFor, stageOf, undecidedStages } from './undecided-stages.js';

export function RejectDialog({ task, onClose }: TaskDialogProperties) {
  const { state, start } = useAction<Task>();
  // The page follows the task: the stages are those of the moment in which the dialog was opened.
  const [names] = useState(() => undecidedStages(task));
  const [request, setRequest] = useState<Omit<RejectTaskRequest, 'task'>>({ ...stageOf(names), message: '' });
  if (state.step === 'done')
    return (
      <Dialog title="Reject the work" onClose={onClose}>
        <p role="status">
          {state.result.status === 'failed'
            ? 'Rejected. The task has failed; its work is kept.'
            : 'Rejected. The stage runs again.'}
        </p>
      </Dialog>
    );
  return (
    <Dialog title="Reject the work" onClose={onClose}>
      <p>
        The task fails with your reason. With a retry, {names.join(', ')} runs again, with your reason for its
        agent.
      </p>
      <OperationForm
        fields={fieldsFor(derivedForms['task.reject'], names)}
        request={request}
        onChange={setRequest}
        suggestions={{ stage: names }}
        button={{ label: 'Reject', busy: 'Sending…' }}
        isBusy={state.step === 'busy'}
        onSubmit={() => start(client => client.tasks.reject(task.id, request))}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
