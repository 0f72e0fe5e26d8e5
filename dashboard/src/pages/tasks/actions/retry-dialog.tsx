import { useState } from 'react';
import type { Task } from '../../../../../src/domain/task/task.js';
import type { RetryRequest } from '../../../../../src/task/recovery/retry.operation.js';
import { Dialog } from '../../../components/field/dialog.js';
import { ProblemView } from '../../../components/page/problem-view.js';
import { derivedForms } from '../../../forms/derived-forms.js';
import { OperationForm } from '../../../forms/operation-form.js';
import { useAction } from '../../../server/use-action.js';
import type { TaskDialogProperties } from './task-actions.js';

export function RetryDialog({ task, onClose }: TaskDialogProperties) {
  const { state, start } = useAction<Task>();
  const [request, setRequest] = useState<RetryRequest>({});
  const next = task.stages.find(({ status }) => status !== 'succeeded')?.name;
  if (state.step === 'done')
    return (
      <Dialog title="Retry the task" onClose={onClose}>
        <p role="status">The task is waiting for its turn; this page shows its progress.</p>
      </Dialog>
    );
  return (
    <Dialog title="Retry the task" onClose={onClose}>
      <p>
        {next
          ? `It continues with the stage ${next}; the work of earlier stages stays.`
          : 'All stages have succeeded: only the validation runs again.'}
      </p>
      <OperationForm
        fields={derivedForms['task.retry']}
        request={request}
        onChange={setRequest}
        placeholders={{ timeoutSeconds: 'as before', costLimitUsd: 'as before', tokenLimit: 'as before' }}
        button={{ label: 'Retry', busy: 'Sending…' }}
        isBusy={state.step === 'busy'}
        onSubmit={() => start(client => client.tasks.retry(task.id, request))}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
