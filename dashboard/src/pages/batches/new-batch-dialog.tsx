import { useState } from 'react';
import type { BatchRequest } from '../../../../src/batch/run/start.operation.js';
import type { BatchSummary } from '../../../../src/domain/batch/batch-summary.js';
import { Dialog } from '../../components/field/dialog.js';
import { ProblemView } from '../../components/page/problem-view.js';
import { derivedForms } from '../../forms/derived-forms.js';
import { OperationForm } from '../../forms/operation-form.js';
import { useAction } from '../../server/use-action.js';
import { navigate } from '../../shell/router.js';

/** Runs an agent on a dataset; the page of the run opens as soon as it is planned. */
export function NewBatchDialog({ onClose }: { readonly onClose: () => void }) {
  const { state, start } = useAction<BatchSummary>();
  const [request, setRequest] = useState<BatchRequest>({ dataset: 'golden' });
  const send = () =>
    start(async client => {
      const batch = await client.batches.start(request);
      navigate(`/batches/${batch.id}`);
      return batch;
    });
  return (
    <Dialog title="New batch" onClose={onClose}>
      <OperationForm
        fields={derivedForms['batch.start']}
        first={['agent', 'dataset', 'taskIds', 'attempts', 'parallelism', 'isolation']}
        // An agent costs money, so that the user has to choose it.
        required={['agent']}
        request={request}
        onChange={setRequest}
        placeholders={{
          agent: 'such as claude, or oracle for the reference solutions',
          taskIds: 'all, or task ids separated by spaces',
          difficulty: 'any',
          attempts: '1',
          parallelism: '1',
        }}
        button={{ label: 'Start the batch', busy: 'Planning…' }}
        isBusy={state.step === 'busy'}
        onSubmit={send}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
