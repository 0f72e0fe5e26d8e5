import { describe, expect, test } from 'vitest';
import {
  createGate,
  done,
  endClaims,
  eventually,
  jobs,
  makeDirectory,
  type SampleFleet,
  SLOW,
  startWorker,
  terms,
  watchAll,
} from './sample-fleet.js';

export function describeRecording(open: () => Promise<SampleFleet>): void {
  describe('recording', () => {
    test('a result is recorded once, and again only by the same claim', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(1));
      const worker = startWorker(engine, {}, async () => done('first', 0.25));
      const [result] = await watchAll(engine);
      expect(result).toMatchObject({ sequence: 1, claim: 1, host: 'host-1', record: 'first', costUsd: 0.25 });
      const claim = worker.claimed[0]?.claim as NonNullable<(typeof worker.claimed)[0]>['claim'];
      expect(await engine.record(claim, { record: 'second', costUsd: 9 })).toBe('recorded');
      expect(await engine.record({ ...claim, number: 2 }, { record: 'x', costUsd: 0 })).toBe('stale');
      expect(await engine.record({ ...claim, host: 'other' }, { record: 'x', costUsd: 0 })).toBe('stale');
      expect(await engine.results('run-1')).toEqual([result]);
      expect((await engine.progress('run-1')).spentUsd).toBe(0.25);
      await worker.drain();
    });

    test('a record that is too large is refused', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(1));
      const gate = createGate();
      const worker = startWorker(engine, {}, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      const record = 'x'.repeat(65_537);
      const claim = worker.claimed[0]?.claim;
      if (claim)
        await expect(engine.record(claim, { record, costUsd: 0 })).rejects.toMatchObject({
          code: 'FLEET_RECORD_TOO_LARGE',
        });
      gate.open();
      await worker.drain();
    });

    test('a host that lost its claim is aborted, and its result is not recorded', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect(SLOW);
      const reaper = await fleet.reaper();
      await engine.submit(terms(), jobs(1));
      // Ignores the signal, as a stopped process does.
      let finish: (value: ReturnType<typeof done>) => void = () => undefined;
      const late = new Promise<ReturnType<typeof done>>(resolve => {
        finish = resolve;
      });
      const first = startWorker(engine, { id: 'first' }, () => late);
      await eventually(() => expect(first.claimed).toHaveLength(1));
      const firstEnded = first.drain();
      await endClaims(reaper);
      await eventually(() => expect(first.claimed[0]?.signal.reason).toBe('lost'));
      const second = startWorker((await fleet.connect()).engine, { id: 'second' }, async () =>
        done('second'),
      );
      const results = await watchAll(engine);
      finish(done('first'));
      await firstEnded;
      const claim = first.claimed[0]?.claim;
      if (claim) expect(await engine.record(claim, { record: 'first', costUsd: 0 })).toBe('stale');
      expect(results).toMatchObject([{ host: 'second', claim: 2, record: 'second' }]);
      expect(await engine.results('run-1')).toEqual(results);
      await second.drain();
    });

    test('the signal of a handler that returned is not aborted', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(1));
      const worker = startWorker(engine, {});
      await watchAll(engine);
      await worker.stop();
      expect(worker.claimed[0]?.signal.aborted).toBe(false);
    });

    test('a result is kept while the database is away, and recorded when it answers', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const own = await fleet.connect();
      await engine.submit(terms(), jobs(2));
      const gate = createGate();
      const worker = startWorker(own.engine, {}, gate.handle);
      await eventually(() => expect(worker.tasks).toHaveLength(1));
      own.setAway(true);
      gate.open(done('kept'));
      await eventually(() => expect(worker.troubles.length).toBeGreaterThan(0));
      expect(await engine.results('run-1')).toEqual([]);
      own.setAway(false);
      expect(await watchAll(engine)).toMatchObject([
        { record: 'kept', claim: 1 },
        { record: 'kept', claim: 1 },
      ]);
      expect(worker.tasks).toEqual(['task-1', 'task-2']);
      await worker.drain();
    });

    test('a kept result survives the worker, and the job is not done again', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const own = await fleet.connect();
      const spoolDir = makeDirectory();
      await engine.submit(terms(), jobs(1));
      const gate = createGate();
      const first = startWorker(own.engine, { spoolDir }, gate.handle);
      await eventually(() => expect(first.tasks).toHaveLength(1));
      own.setAway(true);
      gate.open(done('kept'));
      await first.drain();
      expect(await engine.results('run-1')).toEqual([]);
      const second = startWorker((await fleet.connect()).engine, { spoolDir });
      expect(await watchAll(engine)).toMatchObject([{ record: 'kept', claim: 1, host: 'host-1' }]);
      expect(second.tasks).toEqual([]);
      await second.drain();
    });

    test('results can be watched from any number on, from another connection', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const { engine: other } = await fleet.connect();
      await engine.submit(terms({ parallelism: 1 }), jobs(4));
      const worker = startWorker(engine, {});
      const seen: number[] = [];
      for await (const { sequence } of other.watch('run-1', { after: 2 })) seen.push(sequence);
      expect(seen).toEqual([3, 4]);
      expect(await other.results('run-1', 3)).toMatchObject([{ sequence: 4 }]);
      await expect(other.results('unknown')).rejects.toMatchObject({ code: 'FLEET_RUN_NOT_FOUND' });
      expect(await other.runs()).toMatchObject([
        { run: 'run-1', state: 'finished', results: 4, plan: 'the plan' },
      ]);
      await worker.drain();
    });

    test('a run knows which of its results its submitter has, and the bodies of its jobs', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(3));
      const worker = startWorker(engine, {});
      await watchAll(engine);
      for (const sequence of [2, 1]) await engine.acknowledge('run-1', sequence);
      expect(await engine.progress('run-1')).toMatchObject({ results: 3, acknowledged: 2 });
      await expect(engine.acknowledge('unknown', 1)).rejects.toMatchObject({ code: 'FLEET_RUN_NOT_FOUND' });
      const bodies = await engine.bodies('run-1', 1);
      expect(bodies.map(({ body }) => body)).toEqual(['{"task":"task-2"}', '{"task":"task-3"}']);
      await worker.drain();
    });

    test('watching ends when its signal is aborted', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(1));
      const abort = new AbortController();
      const watching = engine.watch('run-1', { signal: abort.signal })[Symbol.asyncIterator]().next();
      abort.abort();
      expect(await watching).toEqual({ done: true, value: undefined });
    });
  });
}
