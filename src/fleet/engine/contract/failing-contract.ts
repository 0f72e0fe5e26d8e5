import { describe, expect, test } from 'vitest';
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
  watchAll,
} from './sample-fleet.js';

export function describeFailing(open: () => Promise<SampleFleet>): void {
  describe('failing', () => {
    test('a host that cannot beat stops its handlers by itself', async () => {
      const fleet = await open();
      const own = await fleet.connect({ silenceMs: 200 });
      await own.engine.submit(terms(), jobs(2));
      const gate = createGate();
      const worker = startWorker(own.engine, { slots: 2 }, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(2));
      own.setAway(true);
      await eventually(() =>
        expect(worker.claimed.map(one => one.signal.reason)).toEqual(['silent', 'silent']),
      );
      own.setAway(false);
      await worker.drain();
    });

    test('a job that a host stopped because it was silent is done later, also by the same host', async () => {
      const { engine } = await (await open()).connect({ beatMs: 2000, silenceMs: 100 });
      await engine.submit(terms(), jobs(1));
      const gate = createGate();
      const worker = startWorker(engine, {}, claimed =>
        claimed.claim.number === 1 ? gate.handle(claimed) : Promise.resolve(done('second')),
      );
      expect(await watchAll(engine)).toMatchObject([{ record: 'second', claim: 2 }]);
      expect(worker.claimed[0]?.signal.reason).toBe('silent');
      await worker.drain();
    });

    test('a host beats before it claims again after an outage, so that it does not stop what it has just begun', async () => {
      const fleet = await open();
      const { engine: strict } = await fleet.connect({ lifeMs: 2200 });
      const own = await fleet.connect({ beatMs: 1000, silenceMs: 2000 });
      const gate = createGate();
      const worker = startWorker(own.engine, {}, gate.handle);
      await eventually(async () => expect(await strict.hosts()).toMatchObject([{ state: 'working' }]));
      own.setAway(true);
      await eventually(async () => expect(await strict.hosts()).toMatchObject([{ state: 'silent' }]));
      await strict.submit(terms(), jobs(1));
      own.setAway(false);
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      const before = (await strict.hosts())[0]?.beatAt ?? 0;
      await eventually(async () => expect((await strict.hosts())[0]?.beatAt).toBeGreaterThan(before));
      expect(worker.claimed).toHaveLength(1);
      expect(worker.claimed[0]?.signal.aborted).toBe(false);
      gate.open();
      await worker.drain();
    });

    test('nothing is reaped before the database has answered for longer than a claim lives', async () => {
      const fleet = await open();
      const { engine, setAway } = await fleet.connect({ lifeMs: 300 });
      const workerEngine = (await fleet.connect()).engine;
      await engine.submit(terms(), jobs(1));
      const gate = createGate();
      const worker = startWorker(workerEngine, {}, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      expect((await engine.reap()).graceMs).toBeGreaterThan(0);
      await eventually(async () => expect((await engine.reap()).graceMs).toBe(0));
      setAway(true);
      await expect(engine.reap()).rejects.toMatchObject({ code: 'FLEET_UNAVAILABLE' });
      setAway(false);
      const again = await engine.reap();
      expect(again.graceMs).toBeGreaterThan(0);
      expect(again.ended).toEqual([]);
      gate.open();
      await worker.drain();
    });

    test('a host that beats keeps its claims', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms(), jobs(1));
      const gate = createGate();
      const worker = startWorker(engine, {}, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      const { beatAt } = (await engine.hosts())[0] ?? { beatAt: 0 };
      await eventually(async () => expect((await engine.hosts())[0]?.beatAt).toBeGreaterThan(beatAt));
      expect((await engine.reap()).ended).toEqual([]);
      gate.open();
      expect(await watchAll(engine)).toMatchObject([{ claim: 1 }]);
      await worker.drain();
    });

    test('the third dead host of a job gives it up, and the next job is opened', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const reaper = await fleet.reaper();
      await engine.submit(terms({ parallelism: 1 }), jobs(2));
      for (const id of ['a', 'b', 'c']) {
        const gate = createGate();
        const worker = startWorker((await fleet.connect(SLOW)).engine, { id }, gate.handle);
        await eventually(() => expect(worker.claimed).toHaveLength(1));
        const ended = worker.drain();
        await endClaims(reaper);
        await ended;
      }
      const [given] = await engine.results('run-1');
      expect(given).toMatchObject({ key: { task: 'task-1' }, record: null, claim: 3, host: 'c' });
      expect(given?.gaveUp).toContain('the host c did not answer');
      expect((await engine.progress('run-1')).jobs).toMatchObject({ done: 1, open: 1 });
    });

    test('a handler that throws is tried three times', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(1));
      const worker = startWorker(engine, {}, async () => {
        throw new Error('the disk is on fire');
      });
      const results = await watchAll(engine);
      expect(results).toMatchObject([{ record: null, claim: 3 }]);
      expect(results[0]?.gaveUp).toContain('the disk is on fire');
      expect(worker.tasks).toHaveLength(3);
      await worker.drain();
    });

    test('a worker that is started again ends what its predecessor left', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const dead = await fleet.connect();
      await engine.submit(terms(), jobs(1));
      const gate = createGate();
      const first = startWorker(dead.engine, {}, gate.handle);
      await eventually(() => expect(first.claimed).toHaveLength(1));
      // As if it were killed: it says nothing more.
      dead.setAway(true);
      const second = startWorker(engine, {}, async () => done('second'));
      expect(await watchAll(engine)).toMatchObject([{ record: 'second', claim: 2 }]);
      await Promise.all([first.stop(), second.drain()]);
    });

    test('cancelling stops the handlers, keeps what they return, and cancels the rest', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms({ parallelism: 2 }), jobs(5));
      const worker = startWorker((await fleet.connect({ beatMs: 20_000 })).engine, {}, async ({ signal }) => {
        await new Promise(resolve => signal.addEventListener('abort', resolve));
        return done(`ended: ${signal.reason}`, 0.5);
      });
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      await engine.cancel('run-1');
      expect(await watchAll(engine)).toMatchObject([{ record: 'ended: cancelled', costUsd: 0.5 }]);
      expect(await engine.progress('run-1')).toMatchObject({
        state: 'cancelled',
        jobs: { waiting: 0, open: 0, claimed: 0, done: 1, cancelled: 4 },
        spentUsd: 0.5,
      });
      await expect(engine.cancel('unknown')).rejects.toMatchObject({ code: 'FLEET_RUN_NOT_FOUND' });
      await worker.drain();
    });

    test('cancelling can let the handlers finish', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms({ parallelism: 2 }), jobs(3));
      const gate = createGate();
      const worker = startWorker((await fleet.connect()).engine, { slots: 2 }, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(2));
      await engine.cancel('run-1', { claimed: 'finish' });
      expect((await engine.progress('run-1')).jobs).toMatchObject({ claimed: 2, cancelled: 1 });
      gate.open();
      expect(await watchAll(engine)).toHaveLength(2);
      expect(worker.claimed.map(({ signal }) => signal.aborted)).toEqual([false, false]);
      expect(await engine.progress('run-1')).toMatchObject({
        state: 'cancelled',
        jobs: { done: 2, cancelled: 1 },
      });
    });

    test('a cancelled run continues when it is submitted again', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms({ parallelism: 2 }), jobs(4));
      await engine.cancel('run-1');
      expect(await engine.submit(terms(), jobs(4))).toEqual({ added: 4 });
      const worker = startWorker(engine, { slots: 2 });
      expect(await watchAll(engine)).toHaveLength(4);
      expect(worker.tasks).toHaveLength(4);
      await worker.drain();
    });
  });
}
