import { describe, expect, test } from 'vitest';
import type { Engine } from '../engine.js';
import {
  createGate,
  done,
  endClaims,
  eventually,
  jobs,
  type SampleFleet,
  SLOW,
  startWorker,
  terms,
  type Worker,
} from './sample-fleet.js';

export function describeMoney(open: () => Promise<SampleFleet>): void {
  describe('money', () => {
    test('claims never reserve more than the limit, also at the same time', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const { engine: other } = await fleet.connect();
      const { worker, gate } = await claimAll(engine, 10, 1);
      const answers = await Promise.all(
        worker.claimed.map(({ claim }, index) => (index % 2 ? engine : other).reserve(claim, 0.3)),
      );
      expect(answers.sort()).toEqual([...Array(7).fill('held'), ...Array(3).fill('reserved')]);
      expect(await engine.progress('run-1')).toMatchObject({ reservedUsd: 0.9, spentUsd: 0 });
      gate.open(done('done', 0.1));
      await worker.drain();
      expect(await engine.progress('run-1')).toMatchObject({ reservedUsd: 0, spentUsd: 1 });
    });

    test('what was not used can be reserved again, until it is spent', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const { worker, gate } = await claimAll(engine, 3, 1);
      const [first, second, third] = worker.claimed.map(({ claim }) => claim);
      if (!first || !second || !third) throw new Error('there are three claims');
      expect(await engine.reserve(first, 0.9)).toBe('reserved');
      expect(await engine.reserve(second, 0.5)).toBe('held');
      await engine.record(first, { record: 'cheap', costUsd: 0.4 });
      expect(await engine.reserve(second, 0.5)).toBe('reserved');
      await engine.record(second, { record: 'dear', costUsd: 0.5 });
      expect(await engine.reserve(third, 0.2)).toBe('spent');
      expect(await engine.reserve(third, 0.1)).toBe('reserved');
      expect(await engine.reserve(first, 0.01)).toBe('stale');
      gate.open();
      await worker.drain();
    });

    test('without a limit everything is reserved', async () => {
      const { engine } = await (await open()).connect();
      const { worker, gate } = await claimAll(engine, 1, null);
      for (const { claim } of worker.claimed) expect(await engine.reserve(claim, 1e6)).toBe('reserved');
      gate.open();
      await worker.drain();
    });

    test('a handler that spends more than there is, is aborted', async () => {
      const { engine } = await (await open()).connect();
      const { worker } = await claimAll(engine, 2, 1);
      const [first, second] = worker.claimed;
      first?.report({ text: 'thinking', costUsd: 0.7 });
      await eventually(async () => expect((await engine.progress('run-1')).reservedUsd).toBe(0.7));
      second?.report({ text: 'thinking', costUsd: 0.4 });
      await eventually(() => expect(second?.signal.reason).toBe('budget'));
      expect(first?.signal.aborted).toBe(false);
      expect((await engine.progress('run-1')).reservedUsd).toBeLessThanOrEqual(1);
      await worker.stop();
    });

    test('a cost that a handler reports is part of what it has reserved', async () => {
      const { engine } = await (await open()).connect();
      const { worker } = await claimAll(engine, 2, 1);
      const [first, second] = worker.claimed;
      if (!first || !second) throw new Error('there are two claims');
      const reportOf = async (text: string) => {
        const { claims } = await engine.progress('run-1');
        expect(claims.map(({ report }) => report?.text)).toContain(text);
      };
      const reserved = async () => (await engine.progress('run-1')).reservedUsd;
      expect(await engine.reserve(first.claim, 0.6)).toBe('reserved');
      first.report({ text: 'half', costUsd: 0.5 });
      await eventually(() => reportOf('half'));
      first.report({ text: 'more', costUsd: 0.7 });
      await eventually(async () => expect(await reserved()).toBe(0.7));
      expect(await engine.reserve(second.claim, 0.3)).toBe('reserved');
      expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
      first.report({ text: 'too much', costUsd: 0.71 });
      await eventually(() => expect(first.signal.reason).toBe('budget'));
      expect(await reserved()).toBeLessThanOrEqual(1);
      await worker.stop();
    });

    test('what a dead host had reserved counts as spent', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect(SLOW);
      const reaper = await fleet.reaper();
      const { worker } = await claimAll(engine, 1, 1);
      for (const { claim } of worker.claimed) await engine.reserve(claim, 0.6);
      const ended = worker.drain();
      await endClaims(reaper);
      await ended;
      expect(await engine.progress('run-1')).toMatchObject({
        spentUsd: 0.6,
        unknownUsd: 0.6,
        reservedUsd: 0,
      });
    });
  });
}

/** A worker whose handlers have claimed every job of a run. */
async function claimAll(
  engine: Engine,
  count: number,
  costLimitUsd: number | null,
): Promise<{ worker: Worker; gate: ReturnType<typeof createGate> }> {
  await engine.submit(terms({ costLimitUsd }), jobs(count));
  const gate = createGate();
  const worker = startWorker(engine, { slots: count }, gate.handle);
  await eventually(() => expect(worker.claimed).toHaveLength(count));
  return { worker, gate };
}
