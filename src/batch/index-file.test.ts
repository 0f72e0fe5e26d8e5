import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleAttempt } from '../../test/helpers/sample-run.js';
import { tempDir } from '../../test/helpers/temp.js';
import { addUsage } from '../domain/add-usage.js';
import type { Attempt } from '../domain/attempt.js';
import { openIndexFile, readIndexFile, readUsage } from './index-file.js';

const sample = (taskId: string, attempt = 1, score = 0): Attempt =>
  ({ taskId, attempt, score, outcome: 'failed' }) as unknown as Attempt;

const names = (attempts: readonly Attempt[]): string[] => attempts.map(({ taskId }) => taskId);

test('whatever part of a file a crash leaves, its whole lines count and appending goes on', async () => {
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

test('of several lines about one attempt the last counts', async () => {
  const file = join(tempDir(), 'index.jsonl');
  const index = await openIndexFile(file);
  await Promise.all([
    index.append(sample('a', 1, 0)),
    index.append(sample('a', 2, 0)),
    index.append(sample('a', 1, 1)),
  ]);
  await index.close();
  expect((await readIndexFile(file)).map(({ attempt, score }) => [attempt, score])).toEqual([
    [1, 1],
    [2, 0],
  ]);
});

test('what was used counts once for each work, however often it was judged, and stays when it is done again', async () => {
  const file = join(tempDir(), 'index.jsonl');
  const first = sampleAttempt({ outcome: 'cancelled', startedAt: '2026-03-02T12:00:00.000Z' });
  const again = sampleAttempt({ startedAt: '2026-03-02T13:00:00.000Z' });
  const judgedAgain = { ...again, outcome: 'failed' as const };
  await writeFile(file, [first, again, judgedAgain].map(each => `${JSON.stringify(each)}\n`).join(''));
  expect(await readUsage(file)).toEqual(addUsage(first.usage, again.usage));
});

test('lines that are none are left out', async () => {
  const file = join(tempDir(), 'index.jsonl');
  await appendFile(file, `null\n{"half\n${JSON.stringify(sample('a'))}\n\n`);
  expect(names(await readIndexFile(file))).toEqual(['a']);
  expect(await readIndexFile(`${file}.missing`)).toEqual([]);
});
