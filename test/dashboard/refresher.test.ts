import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRefresher, type RefresherOptions } from '../../dashboard/src/server/refresher.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Tells of a change every 100 ms for a minute; the times in seconds at which it was loaded, which takes a while. */
async function loadsInMinute(tookMs: number, options?: RefresherOptions): Promise<readonly number[]> {
  const begun = performance.now();
  const loads: number[] = [];
  const refresher = createRefresher(async () => {
    loads.push(Math.floor((performance.now() - begun) / 1000));
    await new Promise(resolve => setTimeout(resolve, tookMs));
  }, options);
  for (let event = 0; event < 600; event++) {
    refresher.soon();
    await vi.advanceTimersByTimeAsync(100);
  }
  refresher.close();
  return loads;
}

it('loads again and again while events never cease, and not for each of them', async () => {
  const loads = await loadsInMinute(50);
  expect(new Set(loads).size).toBe(60);
  expect(loads.length).toBeLessThan(60 * 4);
});

it('lets the server rest nine tenths of the time from what takes long', async () => {
  expect(await loadsInMinute(2_500, { isCostly: true })).toEqual([0, 27, 55]);
});

it('asks again when the answer may be older than what it was told of', async () => {
  let loads = 0;
  const refresher = createRefresher(
    async () => {
      loads += 1;
    },
    { oldestMs: 1_000 },
  );
  refresher.soon();
  await vi.advanceTimersByTimeAsync(300);
  expect(loads).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(loads).toBe(2);
  refresher.close();
});
