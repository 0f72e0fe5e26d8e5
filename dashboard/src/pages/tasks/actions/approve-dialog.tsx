import { useState } from 'react';
import type { Task } from '../../../../../src/domain/task/task.js';
import type { ApproveTaskRequest } from '../../../../../src/task/approval/approve.operation.js';
import { Dialog } from '../../../components/field/dialog.js';
import { ProblemView } from '../../../components/page/problem-view.js';
import { derivedForms } from '../../../forms/derived-forms.js';
import { OperationForm } from '../../../forms/operation-form.js';
import { useAction } from '../../../server/use-action.js';
import type { TaskDialogProperties } from './task-actions.js';
import { fieldsFor, stageOf, undecidedStages } from './undecided-stages.js';

export function ApproveDialog({ task, onClose }: TaskDialogProperties) {
  const { state, start } = useAction<Task>();
  // The page follows the task: the stages are those of the moment in which the dialog was opened.
  const [names] = useState(() => undecidedStages(task));
  const [request, setRequest] = useState<Omit<ApproveTaskRequest, 'task'>>({ ...stageOf(names) });
  if (state.step === 'done')
    return (
      <Dialog title="Approve the work" onClose={onClose}>
        <p role="status">Approved. This page shows how the task continues.</p>
      </Dialog>
    );
  return (
    <Dialog title="Approve the work" onClose={onClose}>
      <p>The work of {names.join(', ')} is done. After your approval the task continues.</p>
      <OperationForm
        fields={fieldsFor(derivedForms['task.approve'], names)}
        request={request}
        onChange={setRequest}
        suggestions={{ stage: names }}
        button={{ label: 'Approve', busy: 'Sending…' }}
        isBusy={state.step === 'busy'}
        onSubmit={() => start(client => client.tasks.approve(task.id, request))}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
