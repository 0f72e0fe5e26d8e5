import type { GcItem, GcReport } from '../../../../domain/report/result.js';
import { formatSize } from '../../../../domain/text/format-quantity.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';
import { UNKNOWN } from '../format-state.js';

/** The plan or the result of a cleanup: what happens to each item, and why. */
export function formatGcTable(report: GcReport): string {
  const rows = report.items.map(item => [
    report.executed ? item.outcome : item.action,
    item.kind,
    // A workspace may have left several snapshots.
    printable(item.kind === 'snapshot' ? `${item.name} (${item.id})` : item.name),
    item.bytes === null ? UNKNOWN : formatSize(item.bytes),
    printable(item.reason),
  ]);
  const heading = [report.executed ? 'OUTCOME' : 'ACTION', 'KIND', 'NAME', 'SIZE', 'REASON'];
  return alignColumns([heading, ...rows]).join('\n');
}

/** The last line: the result, or the command that runs the plan. */
export function formatGcClosing(report: GcReport, commandToExecute: string): string {
  const failed = report.items.filter(item => item.outcome === 'failed').length;
  if (report.executed) {
    const removed = report.items.filter(item => item.outcome === 'removed').length;
    const freed = `removed ${removed}, freed ${formatSize(report.freedBytes)}`;
    return failed > 0 ? `${freed}; ${failed} could not be removed` : freed;
  }
  const planned = report.items.filter(item => item.action === 'remove');
  if (planned.length === 0) return 'nothing to remove';
  return `${planned.length} would be removed (${formatSize(sumBytes(planned))}); remove with: ${commandToExecute}`;
}

const sumBytes = (items: readonly GcItem[]) => items.reduce((sum, item) => sum + (item.bytes ?? 0), 0);
