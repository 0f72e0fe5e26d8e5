import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dispatch } from './dispatch.js';

function queue(count: number): () => number | undefined {
  let at = 0;
  return () => (at < count ? ++at : undefined);
}

test('runs every job once, and never more at a time than requested', async () => {
  const done: number[] = [];
  let [now, most] = [0, 0];
  await dispatch(3, queue(20), async job => {
    most = Math.max(most, ++now);
    for (let turns = job % 4; turns > 0; turns--) await turn();
    now--;
    done.push(job);
  });
  expect(most).toBe(3);
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});

test('a free slot takes the next job, regardless of the others', async () => {
  const seen: [number, number][] = [];
  let letGo = (): void => undefined;
  const slow = new Promise<void>(resolve => {
    letGo = resolve;
  });
  await dispatch(2, queue(5), async (job, slot) => {
    seen.push([job, slot]);
    if (job === 1) await slow;
    if (job === 5) letGo();
  });
  expect(seen.slice(1).map(([, slot]) => slot)).toEqual([1, 1, 1, 1]);
});

test('after a failure nothing more starts, running jobs finish, and the failure is thrown', async () => {
  const ended: number[] = [];
  const failing = dispatch(2, queue(9), async job => {
    if (job === 1) throw new Error('broken');
    await turn();
    ended.push(job);
  });
  await expect(failing).rejects.toThrow('broken');
  expect(ended).toEqual([2]);
});
