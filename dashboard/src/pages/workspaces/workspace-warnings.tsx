import type { WorkspaceDetails } from '../../../../src/domain/workspace.js';

/** That it is less isolated than was asked for comes first. */
export function WorkspaceWarnings({ workspace }: { readonly workspace: WorkspaceDetails }) {
  const { isolation, warnings } = workspace;
  const isLess = isolation.requested !== isolation.effective;
  if (!isLess && warnings.length === 0) return null;
  return (
    <div className="banner warning">
      {isLess && (
        <p>
          <strong>
            Isolation is {isolation.effective}, and {isolation.requested} was asked for.
          </strong>{' '}
          {isolation.reason}
        </p>
      )}
      {warnings.map(warning => (
        <p key={warning}>{warning}</p>
      ))}
    </div>
  );
}
