import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRefresher, type RefresherOptions } from '../../dashboard/src/server/refresher.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Reports a change every 100 ms for a minute; returns the times in seconds of the loads, which take a while. */
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

it('keeps loading during continuous events, but not for each of them', async () => {
  const loads = await loadsInMinute(50);
  expect(new Set(loads).size).toBe(60);
  expect(loads.length).toBeLessThan(60 * 4);
});

it('spends at most a tenth of the time on an expensive request', async () => {
  expect(await loadsInMinute(2_500, { isCostly: true })).toEqual([0, 27, 55]);
});

it('requests again when the response may be older than the event', async () => {
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
