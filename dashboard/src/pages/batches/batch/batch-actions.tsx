import { useState } from 'react';
import type { BatchRun } from '../../../../../src/domain/batch/batch-run.js';
import type { BatchSummary } from '../../../../../src/domain/batch/batch-summary.js';
import { Dialog } from '../../../components/field/dialog.js';
import { ProblemView } from '../../../components/page/problem-view.js';
import { useAction } from '../../../server/use-action.js';
import { ReportButton } from './report-button.js';

/** Stop and resume; each explains itself and asks for confirmation. */
export function BatchActions({ run, onChange }: { readonly run: BatchRun; readonly onChange: () => void }) {
  const [open, setOpen] = useState<'stop' | 'resume'>();
  const close = () => {
    setOpen(undefined);
    onChange();
  };
  return (
    <>
      <ReportButton id={run.id} />
      {run.status === 'running' && (
        <button type="button" className="danger" onClick={() => setOpen('stop')}>
          Stop…
        </button>
      )}
      {(run.status === 'stopped' || run.status === 'interrupted') && (
        <button type="button" onClick={() => setOpen('resume')}>
          Resume…
        </button>
      )}
      {open && <BatchDialog verb={open} id={run.id} onClose={close} />}
    </>
  );
}

const TEXTS = {
  stop: {
    title: 'Stop the batch',
    question: 'No new attempts start; running attempts finish and count. You can resume the batch later.',
    result: 'The batch is stopping. It ends when the running attempts have finished.',
  },
  resume: {
    title: 'Resume the batch',
    question: 'Finished attempts stay; the remaining ones are run.',
    result: 'The batch is running again.',
  },
} as const;

function BatchDialog({
  verb,
  id,
  onClose,
}: {
  readonly verb: 'stop' | 'resume';
  readonly id: string;
  readonly onClose: () => void;
}) {
  const { state, start } = useAction<BatchSummary>();
  const { title, question, result } = TEXTS[verb];
  return (
    <Dialog title={title} onClose={onClose}>
      {state.step === 'done' ? (
        <p role="status">{result}</p>
      ) : (
        <>
          <p>{question}</p>
          <div className="form-foot">
            <button
              type="button"
              className="primary"
              disabled={state.step === 'busy'}
              onClick={() => start(client => client.batches[verb](id))}
            >
              {title}
            </button>
          </div>
        </>
      )}
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
