import { formatDuration, formatSize } from '../../../../domain/text/format-quantity.js';
import type { HostState } from '../../../../fleet/engine/host.js';
import type { RunSummary } from '../../../../fleet/engine/run.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';
import { UNKNOWN } from '../format-state.js';

const HOST_HEADINGS = ['HOST', 'NAME', 'STATE', 'SLOTS', 'BEAT', 'DISK', 'VERSIONS', 'LABELS', 'NOTE'];
const RUN_HEADINGS = ['RUN', 'STATE', 'DONE', 'RUNNING', 'WAITING', 'COST', 'SUBMITTED'];

const LIMIT_HEADINGS = ['RATE LIMIT', 'FOR ANOTHER'];

export interface FleetListing {
  readonly hosts: readonly HostState[];
  readonly runs: readonly RunSummary[];
  readonly limits?: readonly { readonly provider: string; readonly remainingMs: number }[];
}

/** `carrel fleet ls` as text: hosts, below them the runs, newest first, and the providers that are left alone. */
export function formatFleet({ hosts, runs, limits = [] }: FleetListing, now: number): string {
  const tables = [
    ...(hosts.length > 0 ? [[HOST_HEADINGS, ...hosts.map(formatHost)]] : []),
    ...(runs.length > 0 ? [[RUN_HEADINGS, ...runs.map(run => formatRun(run, now))]] : []),
    ...(limits.length > 0 ? [[LIMIT_HEADINGS, ...limits.map(formatLimit)]] : []),
  ];
  if (tables.length === 0) return 'no hosts and no runs yet';
  return tables.map(rows => alignColumns(rows).join('\n')).join('\n\n');
}

function formatHost(host: HostState): string[] {
  const { id, name, state, slots, silentForMs, diskFreeBytes, versions, labels, claims, refusing } = host;
  return [
    id,
    printable(name),
    state,
    `${claims.length}/${slots}`,
    `${formatDuration(silentForMs)} ago`,
    diskFreeBytes === null ? UNKNOWN : formatSize(diskFreeBytes),
    printable(
      Object.entries(versions)
        .map(([what, version]) => `${what} ${version}`)
        .join(', '),
    ),
    printable(labels.join(', ')) || UNKNOWN,
    printable(refusing ?? ''),
  ];
}

const formatLimit = ({ provider, remainingMs }: { provider: string; remainingMs: number }): string[] => [
  printable(provider),
  formatDuration(remainingMs),
];

function formatRun(run: RunSummary, now: number): string[] {
  const { jobs, spentUsd, costLimitUsd, submittedAt } = run;
  const total = Object.values(jobs).reduce((sum, count) => sum + count, 0);
  const limit = costLimitUsd === null ? '' : ` of $${costLimitUsd.toFixed(2)}`;
  return [
    run.run,
    run.state,
    `${jobs.done}/${total}`,
    String(jobs.claimed),
    String(jobs.waiting + jobs.open),
    `$${spentUsd.toFixed(2)}${limit}`,
    formatAgo(new Date(submittedAt).toISOString(), now),
  ];
}
