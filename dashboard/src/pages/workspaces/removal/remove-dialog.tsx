import { useState } from 'react';
import type { RemovalResult } from '../../../../../src/domain/report/result.js';
import type { RemovalFlag } from '../../../../../src/domain/workspace/risk.js';
import type { WorkspaceDetails } from '../../../../../src/domain/workspace/workspace.js';
import { Dialog } from '../../../components/field/dialog.js';
import { AnswerView } from '../../../components/page/answer-view.js';
import { ProblemView } from '../../../components/page/problem-view.js';
import { useAction } from '../../../server/use-action.js';
import { useAnswer } from '../../../server/use-answer.js';
import { acceptedRisks, groupRisks } from './accepted-risks.js';
import { RemovalReport } from './removal-report.js';
import { RiskList } from './risk-list.js';

/** Shows what would be lost, requires consent for each risk, and only then removes. */
export function RemoveDialog({
  workspace,
  onClose,
}: {
  readonly workspace: WorkspaceDetails;
  readonly onClose: () => void;
}) {
  const { state, start } = useAction<RemovalResult>();
  const [refusals, setRefusals] = useState(0);
  if (state.step === 'done')
    return (
      <Dialog title={`Removed ${workspace.name}`} onClose={onClose}>
        <RemovalReport result={state.result} />
      </Dialog>
    );
  const remove = (accepted: ReadonlySet<RemovalFlag>) =>
    start(async client => {
      try {
        return await client.workspaces.remove(workspace.id, acceptedRisks(accepted));
      } catch (error) {
        setRefusals(count => count + 1);
        throw error;
      }
    });
  return (
    <Dialog title={`Remove ${workspace.name}`} onClose={onClose}>
      {state.step === 'failed' && <ProblemView error={state.error} />}
      <RemovalQuestion
        // After a refusal the risks differ from those that were shown.
        key={refusals}
        workspace={workspace}
        isBusy={state.step === 'busy'}
        onRemove={remove}
      />
    </Dialog>
  );
}

function RemovalQuestion({
  workspace,
  isBusy,
  onRemove,
}: {
  readonly workspace: WorkspaceDetails;
  readonly isBusy: boolean;
  readonly onRemove: (accepted: ReadonlySet<RemovalFlag>) => void;
}) {
  const [accepted, setAccepted] = useState<ReadonlySet<RemovalFlag>>(new Set());
  const answer = useAnswer({
    key: `risks ${workspace.id}`,
    load: (client, signal) => client.workspaces.risks(workspace.id, { signal }),
  });
  return (
    <AnswerView answer={answer}>
      {({ risks }) => {
        const groups = groupRisks(risks);
        const isAccepted = groups.every(({ flag }) => flag !== null && accepted.has(flag));
        return (
          <>
            <RiskList groups={groups} accepted={accepted} onChange={setAccepted} />
            <WhatIsKept workspace={workspace} />
            <div className="form-foot">
              <button
                type="button"
                className="danger"
                disabled={!isAccepted || isBusy}
                onClick={() => onRemove(accepted)}
              >
                {isBusy ? 'Removing…' : 'Remove the workspace'}
              </button>
            </div>
          </>
        );
      }}
    </AnswerView>
  );
}

function WhatIsKept({ workspace }: { readonly workspace: WorkspaceDetails }) {
  if (workspace.backend === 'direct')
    return <p>The directory is your own: its files stay, and only Carrel's record is removed.</p>;
  return (
    <p>
      Carrel takes a snapshot before it deletes anything: commits, uncommitted, untracked and ignored files,
      except what tools can regenerate, such as node_modules. You can undo this.
    </p>
  );
}
