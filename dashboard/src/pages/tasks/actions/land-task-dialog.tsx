import { useState } from 'react';
import type { LandResult } from '../../../../../src/domain/report/result.js';
import type { LandRequest } from '../../../../../src/operations/workspace/land.operation.js';
import { Dialog } from '../../../components/field/dialog.js';
import { ProblemView } from '../../../components/page/problem-view.js';
import { useAction } from '../../../server/use-action.js';
import { LandForm } from '../../workspaces/landing/land-form.js';
import { LandReport } from '../../workspaces/landing/land-report.js';
import type { TaskDialogProperties } from './task-actions.js';

export function LandTaskDialog({ task, onClose }: TaskDialogProperties) {
  const { state, start } = useAction<LandResult>();
  const [request, setRequest] = useState<LandRequest>({});
  if (state.step === 'done')
    return (
      <Dialog title="Landed" onClose={onClose}>
        <LandReport result={state.result} />
      </Dialog>
    );
  return (
    <Dialog title="Land the work of the task" onClose={onClose}>
      {task.status !== 'succeeded' && (
        <p className="banner warning">
          The task has {task.status === 'failed' ? 'failed' : `been ${task.status}`}.
        </p>
      )}
      <LandForm
        branch={task.branch ?? ''}
        request={request}
        onChange={setRequest}
        isBusy={state.step === 'busy'}
        onSubmit={() => start(client => client.tasks.land(task.id, request))}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
