import { useState } from 'react';
import type { Workspace } from '../../../../src/domain/workspace/workspace.js';
import { Dialog } from '../../components/field/dialog.js';
import { ProblemView } from '../../components/page/problem-view.js';
import { derivedForms } from '../../forms/derived-forms.js';
import { OperationForm } from '../../forms/operation-form.js';
import { useAction } from '../../server/use-action.js';

export function RenameDialog({
  workspace,
  onClose,
}: {
  readonly workspace: Pick<Workspace, 'id' | 'name'>;
  readonly onClose: () => void;
}) {
  const { state, start } = useAction<Workspace>();
  const [request, setRequest] = useState({ newName: workspace.name });
  const send = () =>
    start(async client => {
      const renamed = await client.workspaces.rename(workspace.id, request);
      onClose();
      return renamed;
    });
  return (
    <Dialog title={`Rename ${workspace.name}`} onClose={onClose}>
      <OperationForm
        fields={derivedForms['workspace.rename']}
        request={request}
        onChange={setRequest}
        button={{ label: 'Rename', busy: 'Renaming…' }}
        isBusy={state.step === 'busy'}
        onSubmit={send}
      />
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}
