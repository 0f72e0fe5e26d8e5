import { useState } from 'react';
import type { Task } from '../../../../../src/domain/task/task.js';
import { canMoveTask, isActive } from '../../../../../src/domain/task/task-state.js';
import { CancelDialog } from './cancel-dialog.js';
import { LandTaskDialog } from './land-task-dialog.js';
import { RetryDialog } from './retry-dialog.js';

export interface TaskDialogProperties {
  readonly task: Task;
  readonly onClose: () => void;
}

/** The actions for the status of a task; each asks for confirmation. */
export function TaskActions({ task, onChange }: { readonly task: Task; readonly onChange: () => void }) {
  const [open, setOpen] = useState<'cancel' | 'retry' | 'land'>();
  const { status, branch, landed } = task;
  const close = () => {
    setOpen(undefined);
    onChange();
  };
  return (
    <>
      {isActive(status) && (
        <button type="button" className="danger" onClick={() => setOpen('cancel')}>
          Cancel…
        </button>
      )}
      {canMoveTask(status, 'waiting') && (
        <button type="button" onClick={() => setOpen('retry')}>
          Retry…
        </button>
      )}
      {!isActive(status) && branch !== null && landed === null && (
        <button type="button" onClick={() => setOpen('land')}>
          Land…
        </button>
      )}
      {open === 'cancel' && <CancelDialog task={task} onClose={close} />}
      {open === 'retry' && <RetryDialog task={task} onClose={close} />}
      {open === 'land' && <LandTaskDialog task={task} onClose={close} />}
    </>
  );
}
