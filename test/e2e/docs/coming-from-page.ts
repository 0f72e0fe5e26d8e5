import { parse } from 'yaml';

/** One row of a table of docs/coming-from, with what its second column names. */
export interface TestedRow {
  readonly text: string;
  readonly commands: readonly { readonly command: string; readonly status: number }[];
  readonly settings: readonly { readonly key: string; readonly value: unknown }[];
  readonly endpoints: readonly { readonly method: string; readonly path: string }[];
  readonly names: readonly string[];
}

/** The rows of all tables of a page, without their headings. */
export function parsePage(page: string): TestedRow[] {
  const lines = page.split('\n');
  return lines.flatMap((line, index) => {
    const isHeading = lines[index + 1]?.startsWith('| ---') ?? false;
    return line.startsWith('| ') && !line.startsWith('| ---') && !isHeading ? [parseRow(line)] : [];
  });
}

function parseRow(text: string): TestedRow {
  const cell = text.split('|')[2] ?? '';
  const spans = [...cell.matchAll(/`([^`]+)`(?: exits with (\d+))?/g)].map(([, code = '', status]) => ({
    code,
    status: Number(status ?? 0),
  }));
  const matches = (pattern: RegExp) =>
    spans.flatMap(({ code }) => {
      const match = pattern.exec(code);
      return match ? [[match[1] ?? '', match[2] ?? ''] as const] : [];
    });
  return {
    text,
    commands: spans
      .filter(({ code }) => code.startsWith('carrel '))
      .map(({ code, status }) => ({ command: code, status })),
    settings: matches(/^([a-z]\w*(?:\.\w+)*): (.+)$/).map(([key, value]) => ({ key, value: parse(value) })),
    endpoints: matches(/^(GET|POST|DELETE) (\S+)$/).map(([method, path]) => ({ method, path })),
    names: matches(/^([A-Za-z]\w+)$/).map(([name]) => name),
  };
}
