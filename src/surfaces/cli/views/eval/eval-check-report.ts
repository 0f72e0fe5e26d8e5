import type { CheckedItem } from '../../../../domain/batch/eval-report.js';
import { alignColumns } from '../../terminal/columns.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';

/** `carrel eval check` as text: the unsound tasks with the reason, and the number of sound ones. */
export function formatCheck(checked: readonly CheckedItem[], paint: Paint): string {
  const others = checked.filter(({ verdict }) => verdict !== 'sound');
  const sound = checked.length - others.length;
  const rows = others.map(({ id, verdict, reason }) => [
    printable(id),
    verdict,
    printable((reason ?? '').split('\n', 1)[0] ?? ''),
  ]);
  const verdict = `${sound} of ${checked.length} tasks are sound: the reference solution passes, doing nothing fails`;
  return [...alignColumns(rows), (others.length === 0 ? paint.green : paint.yellow)(verdict)].join('\n');
}
