import { formatSize } from '../../../../domain/text/format-quantity.js';
import type { PoolReport, RemainsReport, SlotReport } from '../../../../domain/workspace/pool-report.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';
import { UNKNOWN } from '../format-state.js';

const HEADINGS = ['SLOT', 'KIND', 'COMMIT', 'STATE', 'MADE', 'HOLDER', 'SIZE', 'NOTE'];

/** `carrel pool status` as text: one line per slot, and below them the leftovers of earlier ones. */
export function formatPoolTable({ slots, remains }: PoolReport, now: number): string {
  const tables = [
    ...(slots.length > 0 ? [[HEADINGS, ...slots.map(slot => formatSlot(slot, now))]] : []),
    ...(remains.length > 0
      ? [[['REMAINS', 'OF', 'HOLDS', 'SINCE', 'SIZE'], ...remains.map(left => formatRemains(left, now))]]
      : []),
  ];
  return tables.map(rows => alignColumns(rows).join('\n')).join('\n\n');
}

/** The number of slots by status, in a sentence. */
export function formatPoolClosing({ slots, damaged, remains, cap }: PoolReport): string {
  if (slots.length + damaged.length + remains.length === 0)
    return 'there are no warm workspaces in this repository; create some with: carrel pool warm';
  const counts = countByStatus(slots);
  const parts = [...counts].map(([status, count]) => `${count} ${status}`);
  const living = slots.length - (counts.get('quarantined') ?? 0);
  return [
    `${living} of at most ${cap} slots${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`,
    ...(remains.length > 0 ? [`${remains.length} waiting for capture or deletion`] : []),
    ...(damaged.length > 0 ? [`${damaged.length} with a damaged record: ${damaged.join(', ')}`] : []),
  ].join('; ');
}

function countByStatus(slots: readonly SlotReport[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of slots) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

function formatSlot(slot: SlotReport, now: number): string[] {
  const { id, kind, commit, status, createdAt, lease, sizeBytes } = slot;
  return [
    id,
    kind,
    commit.slice(0, 10),
    status,
    formatAgo(createdAt, now),
    lease ? printable(`${lease.holder}, ${formatAgo(lease.since, now)}`) : UNKNOWN,
    formatSize(sizeBytes),
    printable(describeNote(slot)),
  ];
}

function describeNote({ reason, owner, caches }: SlotReport): string {
  return [
    ...(reason === null ? [] : [reason]),
    ...(owner?.state === 'dead' ? [`its process ${owner.pid} is dead`] : []),
    ...(caches.length > 0 ? [`keeps ${caches.join(', ')}`] : []),
  ].join('; ');
}

function formatRemains({ id, of, holds, createdAt, sizeBytes }: RemainsReport, now: number): string[] {
  return [id, printable(of), holds, formatAgo(createdAt, now), formatSize(sizeBytes)];
}
