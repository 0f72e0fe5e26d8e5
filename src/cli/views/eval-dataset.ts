import { alignColumns } from '../columns.js';
import { cutToWidth } from '../display-width.js';
import { printable } from '../printable.js';
import { section } from './section.js';

export interface DatasetReport {
  readonly name: string;
  readonly format: string;
  readonly tasks: readonly {
    readonly id: string;
    readonly description: string;
    readonly language: string | null;
    readonly difficulty: string | null;
    readonly tags: readonly string[];
  }[];
  readonly broken: readonly { readonly id: string; readonly reason: string }[];
}

const DESCRIPTION_WIDTH = 70;

/** `carrel eval datasets` for people. */
export function formatDataset({ name, format, tasks, broken }: DatasetReport): string {
  const rows = tasks.map(({ id, language, difficulty, description }) => [
    id,
    language ?? '',
    difficulty ?? '',
    cutToWidth(printable(description.trim().split('\n', 1)[0] ?? ''), DESCRIPTION_WIDTH),
  ]);
  return [
    alignColumns([['TASK', 'LANGUAGE', 'DIFFICULTY', 'DESCRIPTION'], ...rows]).join('\n'),
    `${printable(name)} (${format}): ${tasks.length} tasks`,
    ...section(
      "Can't be used",
      broken.map(({ id, reason }) => `${printable(id)}: ${printable(reason)}`),
    ),
  ].join('\n\n');
}
