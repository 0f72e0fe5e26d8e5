import type { WorkspaceDetails } from '../../../../src/domain/workspace/workspace.js';

/** A weaker isolation than requested comes first. */
export function WorkspaceWarnings({ workspace }: { readonly workspace: WorkspaceDetails }) {
  const { isolation, warnings } = workspace;
  const isLess = isolation.requested !== isolation.effective;
  if (!isLess && warnings.length === 0) return null;
  return (
    <div className="banner warning">
      {isLess && (
        <p>
          <strong>
            Isolation is {isolation.effective}; {isolation.requested} was requested.
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
