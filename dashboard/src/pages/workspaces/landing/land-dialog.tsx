import { useState } from 'react';
import type { LandResult } from '../../../../../src/domain/report/result.js';
import type { WorkspaceDetails } from '../../../../../src/domain/workspace/workspace.js';
import type { LandRequest } from '../../../../../src/operations/workspace/land.operation.js';
import { Dialog } from '../../../components/field/dialog.js';
import { ProblemView } from '../../../components/page/problem-view.js';
import { useAction } from '../../../server/use-action.js';
import { LandForm } from './land-form.js';
import { LandReport } from './land-report.js';

export function LandDialog({
  workspace,
  onClose,
}: {
  readonly workspace: WorkspaceDetails;
  readonly onClose: () => void;
}) {
  const { state, start } = useAction<LandResult>();
  const [request, setRequest] = useState<LandRequest>({});
  if (state.step === 'done')
    return (
      <Dialog title={`Landed ${workspace.name}`} onClose={onClose}>
        <LandReport result={state.result} />
      </Dialog>
    );
  return (
    <Dialog title={`Land ${workspace.name}`} onClose={onClose}>
      <LandForm
        branch={workspace.branch ?? ''}
        request={request}
        onChange={setRequest}
        isBusy={state.step === 'busy'}
        onSubmit={() => start(client => client.workspaces.land(workspace.id, request))}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
