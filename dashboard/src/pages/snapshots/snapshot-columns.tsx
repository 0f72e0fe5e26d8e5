import type { Snapshot, SnapshotReason } from '../../../../src/domain/snapshot/snapshot.js';
import type { Column } from '../../components/table/column.js';
import { Age } from '../../components/text/age.js';
import { lastPart } from '../../components/text/amounts.js';

const REASONS: Readonly<Record<SnapshotReason, string>> = {
  asked: 'requested',
  up: 'before the first use',
  down: 'removed',
  gc: 'cleaned up',
  land: 'landed',
  rollback: 'rolled back',
  pool: 'returned to the pool',
  checkpoint: 'checkpoint',
  reset: 'reset',
};

export function snapshotColumns(restore: (snapshot: Snapshot) => void): readonly Column<Snapshot>[] {
  return [
    {
      key: 'workspace',
      title: 'Workspace',
      cell: snapshot => (
        <button type="button" className="link" onClick={() => restore(snapshot)}>
          {snapshot.workspaceName}
        </button>
      ),
      sortBy: ({ workspaceName }) => workspaceName,
    },
    {
      key: 'reason',
      title: 'Taken',
      cell: ({ reason, message }) => message ?? REASONS[reason],
      sortBy: ({ reason }) => REASONS[reason],
    },
    {
      key: 'repository',
      title: 'Repository',
      needs: 'medium',
      cell: ({ repository }) => <span title={repository}>{lastPart(repository)}</span>,
      sortBy: ({ repository }) => lastPart(repository),
    },
    {
      key: 'files',
      title: 'Files',
      needs: 'medium',
      alignsEnd: true,
      cell: ({ files }) => files,
      sortBy: ({ files }) => files,
    },
    {
      key: 'expires',
      title: 'Kept until',
      needs: 'wide',
      alignsEnd: true,
      cell: ({ expiresAt }) => <Age at={expiresAt} />,
      sortBy: ({ expiresAt }) => Date.parse(expiresAt),
    },
    {
      key: 'created',
      title: 'Taken',
      alignsEnd: true,
      cell: ({ createdAt }) => <Age at={createdAt} />,
      sortBy: ({ createdAt }) => Date.parse(createdAt),
    },
  ];
}
