import type { Snapshot } from '../../../../domain/snapshot/snapshot.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';

/** Newest first, as given. */
export function formatSnapshotTable(snapshots: readonly Snapshot[], now: number): string {
  const rows = snapshots.map(snapshot => [
    snapshot.id,
    printable(snapshot.workspaceName),
    snapshot.reason,
    `${snapshot.files} file${snapshot.files === 1 ? '' : 's'}`,
    formatAgo(snapshot.createdAt, now),
    snapshot.expiresAt.slice(0, 10),
    printable(snapshot.message ?? ''),
  ]);
  return alignColumns([
    ['SNAPSHOT', 'WORKSPACE', 'REASON', 'HOLDS', 'TAKEN', 'KEPT UNTIL', 'MESSAGE'],
    ...rows,
  ]).join('\n');
}
