import { useState } from 'react';
import type { BatchRun } from '../../../../src/domain/batch-run.js';
import type { BatchSummary } from '../../../../src/domain/batch-summary.js';
import { Dialog } from '../../components/dialog.js';
import { ProblemView } from '../../components/problem-view.js';
import { useAction } from '../../server/use-action.js';

/** Stop and resume; each says what it does and asks first. */
export function BatchActions({ run, onChange }: { readonly run: BatchRun; readonly onChange: () => void }) {
  const [open, setOpen] = useState<'stop' | 'resume'>();
  const close = () => {
    setOpen(undefined);
    onChange();
  };
  return (
    <>
      <a className="button" href={`/api/batches/${run.id}/report`} target="_blank" rel="noreferrer">
        Report
      </a>
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
    question: 'No more attempts begin; those that run come to their end and count. It can be resumed.',
    result: 'It was told to stop, and ends when the attempts that run have ended.',
  },
  resume: {
    title: 'Resume the batch',
    question: 'What has come out stays; the attempts that are left are made.',
    result: 'It goes on.',
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
