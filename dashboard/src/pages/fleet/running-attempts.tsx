import { useMemo } from 'react';
import type { Column } from '../../components/table/column.js';
import { DataTable } from '../../components/table/data-table.js';
import { Age } from '../../components/text/age.js';
import { formatCost } from '../../components/text/amounts.js';
import type { Host } from './fleet-status.js';

type Claim = Host['claims'][number] & { readonly hostName: string };

/** What each host does now. */
export function RunningAttempts({ hosts }: { readonly hosts: readonly Host[] }) {
  const claims = useMemo(
    () => hosts.flatMap(host => host.claims.map(claim => ({ ...claim, hostName: host.name }))),
    [hosts],
  );
  if (claims.length === 0) return null;
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running attempts</h2>
      <DataTable
        caption="Attempts that run now"
        rows={claims}
        columns={COLUMNS}
        keyOf={({ key }) => `${key.run} ${key.task} ${key.attempt}`}
        sortedBy="claim-since"
      />
    </section>
  );
}

const COLUMNS: readonly Column<Claim>[] = [
  {
    key: 'claim-task',
    title: 'Task',
    cell: ({ key }) => (key.attempt === 1 ? key.task : `${key.task}, attempt ${key.attempt}`),
    sortBy: ({ key }) => `${key.task} ${key.attempt}`,
  },
  { key: 'claim-host', title: 'Host', cell: ({ hostName }) => hostName, sortBy: ({ hostName }) => hostName },
  { key: 'claim-report', title: 'Doing', cell: ({ report }) => report?.text ?? '' },
  {
    key: 'claim-cost',
    title: 'Cost',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ report }) => (report?.costUsd === undefined ? '' : formatCost(report.costUsd)),
    sortBy: ({ report }) => report?.costUsd ?? null,
  },
  { key: 'claim-run', title: 'Run', needs: 'wide', cell: ({ key }) => key.run, sortBy: ({ key }) => key.run },
  {
    key: 'claim-since',
    title: 'Since',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ since }) => <Age at={new Date(since).toISOString()} />,
    sortBy: ({ since }) => since,
  },
];
