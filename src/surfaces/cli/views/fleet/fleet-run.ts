import { formatDuration } from '../../../../domain/text/format-quantity.js';
import type { ClaimProgress, RunProgress } from '../../../../fleet/engine/run.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';
import { formatFleet } from './fleet-table.js';

/** `carrel fleet show` as text: the run, what hosts do now, and the jobs that no host has taken, with the reason. */
export function formatFleetRun(run: RunProgress, now: number): string {
  const { claims, left } = run;
  const parts = [
    formatFleet({ hosts: [], runs: [run] }, now),
    ...(claims.length > 0
      ? [
          alignColumns([
            ['TASK', 'HOST', 'CLAIM', 'FOR', 'DOES'],
            ...claims.map(each => formatClaim(each, now)),
          ]).join('\n'),
        ]
      : []),
    ...(left.length > 0
      ? [['waiting for a worker that takes them:', ...left.map(formatLeft)].join('\n')]
      : []),
  ];
  return parts.join('\n\n');
}

const formatClaim = ({ key, host, claim, since, report }: ClaimProgress, now: number): string[] => [
  printable(`${key.task} ${key.attempt}`),
  host,
  String(claim),
  formatDuration(Math.max(0, now - since)),
  printable(report?.text ?? ''),
];

const formatLeft = ({ key, reason }: RunProgress['left'][number]): string =>
  printable(`  ${key.task} ${key.attempt}: ${reason}`);
