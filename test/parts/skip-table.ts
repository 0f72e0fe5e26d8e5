import type { Reporter, TestModule } from 'vitest/node';
import { howToGet } from './parts.js';

/** Ends the output with what was skipped, and with one plain line that any reader of a log can count on. */
export default class SkipTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = modules.flatMap(module => [...module.children.allTests()].map(test => test.result()));
    const count = (state: string) => results.filter(result => result.state === state).length;
    const broken = modules.filter(module => module.errors().length > 0).length;
    const notes = results.flatMap(result => (result.state === 'skipped' ? [result.note ?? ''] : []));
    process.stdout.write(
      `${formatSkips(notes)}\n${count('passed')} passed, ${count('failed') + broken} failed, ${notes.length} skipped\n`,
    );
  }
}

/** One row for each part that was missing, most skipped tests first. */
export function formatSkips(notes: readonly string[]): string {
  const tally = new Map<string, number>();
  for (const note of notes) {
    const part = howToGet(note) ? note : DECLARED;
    tally.set(part, (tally.get(part) ?? 0) + 1);
  }
  const counts = [...tally]
    .sort(([, a], [, b]) => b - a)
    .map(([part, skipped]) => ({ part, skipped: String(skipped), get: howToGet(part) ?? '' }));
  if (counts.length === 0) return '';
  const rows = [{ part: 'missing part', skipped: 'tests skipped', get: 'how to get it' }, ...counts];
  const width = (key: 'part' | 'skipped') => Math.max(...rows.map(row => row[key].length));
  const [first, second] = [width('part'), width('skipped')];
  const lines = rows.map(row =>
    `  ${row.part.padEnd(first)}  ${row.skipped.padStart(second)}  ${row.get}`.trimEnd(),
  );
  return `\n${lines.join('\n')}\n`;
}

/** Tests that are skipped without a part: a backend or runtime declares that it has no such thing. */
const DECLARED = '(not for this system, backend or runtime)';
