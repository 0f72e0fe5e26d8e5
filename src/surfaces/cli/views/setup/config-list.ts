import type { ConfigReport } from '../../../../domain/report/result.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';

/** `workspace.install  "auto"`, one line per value, with its origin on request. */
export function formatConfigList({ values }: ConfigReport, withOrigin: boolean): string {
  const rows = values.map(({ key, value, origin }) => {
    const text = JSON.stringify(value) ?? 'unset';
    // Values may be long, so the origins are not aligned.
    return [key, withOrigin ? `${text}  (${origin})` : text].map(printable);
  });
  return alignColumns(rows).join('\n');
}
