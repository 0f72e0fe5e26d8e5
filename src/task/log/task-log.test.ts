import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import type { LogLine } from '../../domain/task/log-line.js';
import { createLogParser } from './parse-log.js';
import { LOG_LIMITS, openTaskLog } from './task-log.js';

const AT = '2026-03-02T12:00:00.000Z';
const writer = { pid: 1, startedAt: '1', realm: 'r' };
const options = { now: () => Date.parse(AT), writer };
const say = (text: string): Omit<LogLine, 'at'> => ({ stage: 'plan', attempt: 1, stream: 'stdout', text });

function readLines(file: string): LogLine[] {
  const parser = createLogParser();
  return [...parser.add(readFileSync(file)), ...parser.finish()];
}

test('writes lines promptly and in order, even after a crash left an incomplete one', async () => {
  const file = join(tempDir(), 'deep/log.jsonl');
  const log = openTaskLog(file, options);
  log.line(say('one'));
  await waitFor('a batch', () => (statSync(file).size > 0 ? true : undefined));
  log.line(say('two \u001b[31m\0"\u2028'));
  log.close();
  log.close();
  appendFileSync(file, '{"at":"2026');
  const next = openTaskLog(file, options);
  next.line(say('three'));
  next.close();
  expect(readLines(file)).toEqual(
    ['one', 'two \u001b[31m\0"\u2028', 'three'].map(text => ({ at: AT, ...say(text) })),
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('keeps the start and the end of huge output, and reports how much was left out', () => {
  const file = join(tempDir(), 'log.jsonl');
  const log = openTaskLog(file, options);
  const count = 4000;
  for (let n = 0; n < count; n++) log.line(say(`${n} ${'x'.repeat(10_000)}`));
  log.line(say('é'.repeat(LOG_LIMITS.line + 10)));
  log.close();
  const lines = readLines(file);
  const numbers = lines.filter(line => line.stream === 'stdout').map(line => Number.parseInt(line.text, 10));
  expect(statSync(file).size).toBeLessThan(LOG_LIMITS.written + 2 * LOG_LIMITS.tail);
  const at = lines.findIndex(line => line.stream === 'carrel');
  const left = count - numbers.filter(Number.isFinite).length;
  expect(lines[at]?.text).toMatch(new RegExp(`^lines left out here: ${left} \\(\\d.*\\);`));
  expect([numbers[0], numbers[at - 1], numbers[at], numbers.at(-2)]).toEqual([
    0,
    at - 1,
    at + left,
    count - 1,
  ]);
  expect(lines.at(-1)?.text).toBe(`${'é'.repeat(LOG_LIMITS.line)} [10 more characters were cut]`);
});

test('reports a full disk or an unwritable directory once and continues', () => {
  const troubles: string[] = [];
  const write = (file: string): void => {
    const log = openTaskLog(file, { ...options, onTrouble: trouble => troubles.push(trouble) });
    for (let n = 0; n < 3; n++) log.line(say('x'.repeat(LOG_LIMITS.line)));
    log.close();
  };
  write('/dev/full');
  const blocked = join(tempDir(), 'file/log.jsonl');
  writeFileSync(dirname(blocked), '');
  write(blocked);
  expect(troubles).toEqual(['ENOSPC', expect.stringMatching(/^(EEXIST|ENOTDIR)$/)]);
});

test('skips invalid lines, regardless of chunk boundaries', () => {
  const good = JSON.stringify({ at: AT, ...say('good') });
  const text = `${good}\nnonsense\n\n{"text":1}\n[]\nnull\n${'x'.repeat(2 << 20)}\n{"writer":{"pid":"no"}}\n${good}\n${good.slice(0, -1)}`;
  for (const size of [999, 64 * 1024]) {
    const parser = createLogParser();
    const bytes = Buffer.from(text);
    const lines: LogLine[] = [];
    for (let from = 0; from < bytes.length; from += size)
      lines.push(...parser.add(bytes.subarray(from, from + size)));
    expect([...lines, ...parser.finish()].map(line => line.text)).toEqual(['good', 'good']);
    expect(parser.writer()).toBeNull();
  }
});
