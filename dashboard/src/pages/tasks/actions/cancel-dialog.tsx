import type { Task } from '../../../../../src/domain/task/task.js';
import { isUnfinished } from '../../../../../src/domain/task/task-state.js';
import { Dialog } from '../../../components/field/dialog.js';
import { ProblemView } from '../../../components/page/problem-view.js';
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
            This stops the agent and everything that it started. Finished work stays, and you can retry the
            task.
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
  if (isUnfinished(status)) return 'The task is stopping. This page shows when it has stopped.';
  const place = workspaceKept ? ` Its work is in the workspace ${workspaceName}.` : '';
  return status === 'cancelled' ? `The task is cancelled.${place}` : `The task had already ended: ${status}.`;
}
