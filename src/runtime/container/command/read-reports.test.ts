import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createReportReader } from './read-reports.js';

const MARK = 'mark';
const STARTED = `\x1e${MARK} started\n`;
const ENDED = `\x1e${MARK} 7\n`;

/** Reads a text in chunks of the given lengths. */
function read(text: string, lengths: readonly number[]) {
  const reader = createReportReader(MARK);
  const bytes = Buffer.from(text, 'latin1');
  const own: Buffer[] = [];
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    own.push(reader.take(bytes.subarray(at, at + length)));
    at += length;
  }
  own.push(reader.rest());
  return { own: Buffer.concat(own).toString('latin1'), reports: reader.reports };
}

it("removes the reports from a command's output, however it is split into chunks", () => {
  const words = fc.string({ unit: fc.constantFrom('\x1e', 'm', 'mark', ' ', 'a', '\n', 'started', '\x1em') });
  fc.assert(
    fc.property(words, words, words, fc.array(fc.nat(9)), (engine, during, after, lengths) => {
      const holdsReport = [engine, during, after].some(text => text.includes(`\x1e${MARK} `));
      fc.pre(!holdsReport);
      const { own, reports } = read(`${engine}${STARTED}${during}${ENDED}${after}`, lengths);
      expect(own).toBe(`${during}${after}`);
      expect(reports).toEqual({ isStarted: true, exitCode: 7 });
    }),
  );
});

it('returns nothing that an engine prints before a command starts', () => {
  const { own, reports } = read('Error: no such container\n', []);
  expect(own).toBe('');
  expect(reports).toEqual({ isStarted: false, exitCode: undefined });
});

it('returns text that only starts like a report', () => {
  expect(read(`${STARTED}\x1e${MARK} and then nothing of the kind`, [20, 5]).own).toBe(
    `\x1e${MARK} and then nothing of the kind`,
  );
  expect(read(`${STARTED}\x1em`, []).own).toBe('\x1em');
});
