import type { LandRequest } from '../../../../../src/operations/workspace/land.operation.js';
import { derivedForms } from '../../../forms/derived-forms.js';
import { OperationForm } from '../../../forms/operation-form.js';

export interface LandFormProperties {
  readonly branch: string;
  readonly request: LandRequest;
  readonly onChange: (request: LandRequest) => void;
  readonly isBusy: boolean;
  readonly onSubmit: () => void;
}

export function LandForm({ branch, request, onChange, isBusy, onSubmit }: LandFormProperties) {
  return (
    <>
      <p>
        Lands the commits of <code>{branch}</code> on a branch of the repository. A clean checkout of that
        branch is updated; if it has changes, nothing is landed.
      </p>
      <OperationForm
        fields={derivedForms['workspace.land']}
        request={request}
        onChange={onChange}
        placeholders={{ into: 'the branch it was created from', message: 'generated from the commits' }}
        button={{ label: 'Land', busy: 'Landing…' }}
        isBusy={isBusy}
        onSubmit={onSubmit}
      />
    </>
  );
}
