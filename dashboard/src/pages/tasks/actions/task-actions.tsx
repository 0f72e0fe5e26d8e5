import { useState } from 'react';
import type { Task } from '../../../../../src/domain/task/task.js';
import { canRetry, isUnfinished } from '../../../../../src/domain/task/task-state.js';
import { ApproveDialog } from './approve-dialog.js';
import { CancelDialog } from './cancel-dialog.js';
import { LandTaskDialog } from './land-task-dialog.js';
import { RejectDialog } from './reject-dialog.js';
import { RetryDialog } from './retry-dialog.js';

export interface TaskDialogProperties {
  readonly task: Task;
  readonly onClose: () => void;
}

/** The actions for the status of a task; each asks for confirmation. */
export function TaskActions({ task, onChange }: { readonly task: Task; readonly onChange: () => void }) {
  const [open, setOpen] = useState<'approve' | 'reject' | 'cancel' | 'retry' | 'land'>();
  const { status, branch, landed } = task;
  const close = () => {
    setOpen(undefined);
    onChange();
  };
  return (
    <>
      {status === 'waiting-for-approval' && (
        <>
          <button type="button" className="primary" onClick={() => setOpen('approve')}>
            Approve…
          </button>
          <button type="button" onClick={() => setOpen('reject')}>
            Reject…
          </button>
        </>
      )}
      {isUnfinished(status) && (
        <button type="button" className="danger" onClick={() => setOpen('cancel')}>
          Cancel…
        </button>
      )}
      {canRetry(status) && (
        <button type="button" onClick={() => setOpen('retry')}>
          Retry…
        </button>
      )}
      {!isUnfinished(status) && branch !== null && landed === null && (
        <button type="button" onClick={() => setOpen('land')}>
          Land…
        </button>
      )}
      {open === 'approve' && <ApproveDialog task={task} onClose={close} />}
      {open === 'reject' && <RejectDialog task={task} onClose={close} />}
      {open === 'cancel' && <CancelDialog task={task} onClose={close} />}
      {open === 'retry' && <RetryDialog task={task} onClose={close} />}
      {open === 'land' && <LandTaskDialog task={task} onClose={close} />}
    </>
  );
}
