import type { WorkspaceDetails } from '../../../../src/domain/workspace/workspace.js';
import { Badge } from '../../components/status/badge.js';
import { countOf } from '../../components/text/amounts.js';

/** A short summary of what a workspace has and its base lacks. */
export function WorkState({ workspace }: { readonly workspace: WorkspaceDetails }) {
  const { status, changes: looked, ahead, behind, conflictsWithBase } = workspace;
  if (status !== 'ready') return <Badge tone="accent">{status}</Badge>;
  const changes = countChanges(workspace);
  const isUnchanged = looked !== null && changes === 0 && !ahead && !behind;
  return (
    <span className="badges work-state">
      {changes > 0 && <Badge tone="warning">{countOf(changes, 'change')}</Badge>}
      {Boolean(ahead) && <Badge tone="accent">{ahead} ahead</Badge>}
      {Boolean(behind) && <Badge>{behind} behind</Badge>}
      {conflictsWithBase && <Badge tone="bad">conflicts</Badge>}
      {isUnchanged && <span className="minor">unchanged</span>}
      {looked === null && <span className="minor">unknown</span>}
    </span>
  );
}

/** The sort key of rows; null before the files were scanned. */
export const amountOfWork = (workspace: WorkspaceDetails): number | null =>
  workspace.changes === null ? null : countChanges(workspace) + (workspace.ahead ?? 0);

function countChanges({ changes }: WorkspaceDetails): number {
  if (!changes) return 0;
  return changes.staged + changes.unstaged + changes.untracked + changes.conflicted;
}
