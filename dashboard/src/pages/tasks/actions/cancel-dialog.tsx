import type { Task } from '../../../../../src/domain/task.js';
import { isActive } from '../../../../../src/domain/task-state.js';
import { Dialog } from '../../../components/dialog.js';
import { ProblemView } from '../../../components/problem-view.js';
import { useAction } from '../../../server/use-action.js';
import type { TaskDialogProperties } from './task-actions.js';

export function CancelDialog({ task, onClose }: TaskDialogProperties) {
  const { state, start } = useAction<Task>();
  return (
    <Dialog title="Cancel the task" onClose={onClose}>
      {state.step === 'done' ? (
        <p role="status">{resultText(state.result)}</p>
      ) : (
        <>
          <p>
            Its agent and everything that the agent has started are ended. What was done stays where it is,
            and the task can be retried.
          </p>
          <div className="form-foot">
            <button
              type="button"
              className="danger"
              disabled={state.step === 'busy'}
              onClick={() => start(client => client.tasks.cancel(task.id))}
            >
              {state.step === 'busy' ? 'Cancelling…' : 'Cancel the task'}
            </button>
          </div>
        </>
      )}
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}

function resultText({ status, workspaceKept, workspaceName }: Task): string {
  if (isActive(status)) return 'It was told to end, and needs longer for it. This page shows when it has.';
  const place = workspaceKept ? ` Its work is in the workspace ${workspaceName}.` : '';
  return status === 'cancelled' ? `It is cancelled.${place}` : `It had ended before: it has ${status}.`;
}
