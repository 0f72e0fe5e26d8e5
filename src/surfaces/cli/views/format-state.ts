import type { Changes, Workspace, WorkspaceDetails } from '../../../domain/workspace/workspace.js';

/** Shown for an unknown value. */
export const UNKNOWN = '-';

/** `+2 ~1 ?3 !1`: staged, changed, untracked, conflicted. */
export function formatChanges(changes: Changes | null): string {
  if (!changes) return UNKNOWN;
  const parts = [
    ['+', changes.staged],
    ['~', changes.unstaged],
    ['?', changes.untracked],
    ['!', changes.conflicted],
  ] as const;
  const shown = parts.filter(([, count]) => count > 0).map(([mark, count]) => `${mark}${count}`);
  return shown.join(' ') || 'clean';
}

/** `↑2 ↓1 conflicts`: commits ahead of the base, commits behind it, and whether they conflict. */
export function formatDistance({ ahead, behind, conflictsWithBase }: WorkspaceDetails): string {
  if (ahead === null || behind === null) return UNKNOWN;
  const parts = [ahead > 0 && `↑${ahead}`, behind > 0 && `↓${behind}`, conflictsWithBase && 'conflicts'];
  return parts.filter(Boolean).join(' ') || 'even';
}

/** `full→worktree` when the effective mode is weaker than the requested one. */
export function formatIsolation({ requested, effective }: Workspace['isolation']): string {
  return requested === effective ? effective : `${requested}→${effective}`;
}

export function formatStatus({ status, lease }: Workspace): string {
  return lease ? `${status}, leased` : status;
}
