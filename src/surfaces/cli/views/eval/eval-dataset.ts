import { countOf } from '../../../../batch/report/count-of.js';
import type { DatasetReport } from '../../../../domain/batch/eval-report.js';
import { alignColumns } from '../../terminal/columns.js';
import { cutToWidth } from '../../terminal/display-width.js';
import { printable } from '../../terminal/printable.js';
import { section } from '../section.js';

const DESCRIPTION_WIDTH = 70;

/** `carrel eval datasets` as text. */
export function formatDataset({ name, format, tasks, broken }: DatasetReport): string {
  const rows = tasks.map(({ id, language, difficulty, description }) => [
    id,
    language ?? '',
    difficulty ?? '',
    cutToWidth(printable(description.trim().split('\n', 1)[0] ?? ''), DESCRIPTION_WIDTH),
  ]);
  return [
    alignColumns([['TASK', 'LANGUAGE', 'DIFFICULTY', 'DESCRIPTION'], ...rows]).join('\n'),
    `${printable(name)} (${format}): ${countOf(tasks.length, 'task')}`,
    ...section(
      'Not usable',
      broken.map(({ id, reason }) => `${printable(id)}: ${printable(reason)}`),
    ),
  ].join('\n\n');
}
