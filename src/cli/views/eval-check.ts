import type { CheckedItem } from '../../domain/eval-report.js';
import { alignColumns } from '../columns.js';
import type { Paint } from '../output.js';
import { printable } from '../printable.js';

/** `carrel eval check` for people: what is unsound with the reason, and how many are sound. */
export function formatCheck(checked: readonly CheckedItem[], paint: Paint): string {
  const others = checked.filter(({ verdict }) => verdict !== 'sound');
  const sound = checked.length - others.length;
  const rows = others.map(({ id, verdict, reason }) => [
    printable(id),
    verdict,
    printable((reason ?? '').split('\n', 1)[0] ?? ''),
  ]);
  const verdict = `${sound} of ${checked.length} tasks are sound: solved by their reference solution, not by doing nothing`;
  return [...alignColumns(rows), (others.length === 0 ? paint.green : paint.yellow)(verdict)].join('\n');
}
