import type { ConfigReport } from '../../domain/result.js';
import { alignColumns } from '../columns.js';
import { printable } from '../printable.js';

/** `workspace.install  "auto"`, one line per value, followed by its origin when asked for. */
export function formatConfigList({ values }: ConfigReport, withOrigin: boolean): string {
  const rows = values.map(({ key, value, origin }) => {
    const text = JSON.stringify(value) ?? 'unset';
    // Values may be long, so the origins do not stand below each other.
    return [key, withOrigin ? `${text}  (${origin})` : text].map(printable);
  });
  return alignColumns(rows).join('\n');
}
