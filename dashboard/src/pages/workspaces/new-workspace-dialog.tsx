import { useState } from 'react';
import type { Workspace } from '../../../../src/domain/workspace/workspace.js';
import type { CreateWorkspaceRequest } from '../../../../src/operations/workspace/create.operation.js';
import { Dialog } from '../../components/field/dialog.js';
import { ProblemView } from '../../components/page/problem-view.js';
import { derivedForms } from '../../forms/derived-forms.js';
import { OperationForm } from '../../forms/operation-form.js';
import { useAction } from '../../server/use-action.js';
import { useOverview } from '../../shell/overview-provider.js';
import { navigate } from '../../shell/router.js';

/** Makes a workspace; its page opens when it is ready. */
export function NewWorkspaceDialog({ onClose }: { readonly onClose: () => void }) {
  const overview = useOverview().data;
  const { state, start } = useAction<Workspace>();
  const [request, setRequest] = useState<CreateWorkspaceRequest & { readonly repository?: string }>({});
  const send = () =>
    start(async client => {
      const workspace = await client.workspaces.create(request);
      navigate(`/workspaces/${workspace.id}`);
      return workspace;
    });
  return (
    <Dialog title="New workspace" onClose={onClose}>
      <OperationForm
        fields={derivedForms['workspace.create']}
        request={request}
        onChange={setRequest}
        suggestions={{ repository: overview?.repositories ?? [] }}
        placeholders={{ repository: overview?.repository ?? 'a path on the allowlist' }}
        button={{ label: 'Make the workspace', busy: 'Making…' }}
        isBusy={state.step === 'busy'}
        onSubmit={send}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
