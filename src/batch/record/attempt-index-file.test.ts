import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleAttempt } from '../../../test/helpers/batch/sample-run.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { addUsage } from '../../domain/agent/add-usage.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import { latestOf, openIndexFile, readIndexFile, sumUsage } from './attempt-index-file.js';

const sample = (taskId: string, attempt = 1, score = 0): Attempt =>
  ({ taskId, attempt, score, outcome: 'failed' }) as unknown as Attempt;

const names = (attempts: readonly Attempt[]): string[] => attempts.map(({ taskId }) => taskId);

test('after a crash, complete lines count and appending continues', async () => {
  const directory = tempDir();
  const whole = ['a', 'b', 'ü'].map(name => `${JSON.stringify(sample(name))}\n`).join('');
  const bytes = Buffer.from(whole);
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length }), async length => {
      const file = join(directory, `${++number}.jsonl`);
      await writeFile(file, bytes.subarray(0, length));
      const complete = bytes.subarray(0, length).toString('utf8').split('\n').length - 1;
      const index = await openIndexFile(file);
      await index.append(sample('later'));
      await index.close();
      expect(names(await readIndexFile(file))).toEqual([...['a', 'b', 'ü'].slice(0, complete), 'later']);
    }),
    { numRuns: 40 },
  );
});

test('the last line about an attempt counts', async () => {
  const file = join(tempDir(), 'index.jsonl');
  const index = await openIndexFile(file);
  await Promise.all([
    index.append(sample('a', 1, 0)),
    index.append(sample('a', 2, 0)),
    index.append(sample('a', 1, 1)),
  ]);
  await index.close();
  expect(latestOf(await readIndexFile(file)).map(({ attempt, score }) => [attempt, score])).toEqual([
    [1, 1],
    [2, 0],
  ]);
});

test('usage counts once per work, regardless of regrading, and stays when the attempt runs again', async () => {
  const file = join(tempDir(), 'index.jsonl');
  const first = sampleAttempt({ outcome: 'cancelled', startedAt: '2026-03-02T12:00:00.000Z' });
  const again = sampleAttempt({ startedAt: '2026-03-02T13:00:00.000Z' });
  const judgedAgain = { ...again, outcome: 'failed' as const };
  await writeFile(file, [first, again, judgedAgain].map(each => `${JSON.stringify(each)}\n`).join(''));
  expect(sumUsage(await readIndexFile(file))).toEqual(addUsage(first.usage, again.usage));
});

test('skips invalid lines', async () => {
  const file = join(tempDir(), 'index.jsonl');
  await appendFile(file, `null\n{"half\n${JSON.stringify(sample('a'))}\n\n`);
  expect(names(await readIndexFile(file))).toEqual(['a']);
  expect(await readIndexFile(`${file}.missing`)).toEqual([]);
});

test('appends to the new file when the open one was replaced', async () => {
  const file = join(tempDir(), 'index.jsonl');
  const index = await openIndexFile(file);
  await index.append(sample('a'));
  await writeFile(`${file}.new`, `${JSON.stringify(sample('b'))}\n{"half`);
  await rename(`${file}.new`, file);
  await index.append(sample('c'));
  expect(names(await readIndexFile(file))).toEqual(['b', 'c']);
  await rm(file);
  await index.append(sample('d'));
  await index.close();
  expect(names(await readIndexFile(file))).toEqual(['d']);
});
