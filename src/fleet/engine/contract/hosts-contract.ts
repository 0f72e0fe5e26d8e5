import { describe, expect, test } from 'vitest';
import {
  createGate,
  eventually,
  job,
  jobs,
  type SampleFleet,
  startWorker,
  terms,
  type Worker,
  watchAll,
} from './sample-fleet.js';

export function describeHosts(open: () => Promise<SampleFleet>): void {
  describe('hosts', () => {
    test('the settings of a fleet are the last ones, for every process', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      expect(await engine.settings()).toBeNull();
      await engine.configure('first');
      await engine.configure('second');
      expect(await (await fleet.connect()).engine.settings()).toBe('second');
    });

    test('hosts show what they are and what they do', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms(), jobs(1));
      const gate = createGate();
      const worker = startWorker(
        (await fleet.connect()).engine,
        {
          ...{ id: 'h', name: 'node-7', labels: ['gpu'], slots: 3, versions: { carrel: '0.1.0' } },
          look: () => ({ diskFreeBytes: 12_345 }),
        },
        gate.handle,
      );
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      worker.claimed[0]?.report({ text: 'grading '.repeat(100), costUsd: 0 });
      const [host] = await eventually(async () => {
        const hosts = await engine.hosts();
        expect(hosts[0]?.claims[0]?.report?.text).toHaveLength(200);
        return hosts;
      });
      expect(host).toMatchObject({
        ...{ id: 'h', name: 'node-7', labels: ['gpu'], slots: 3, versions: { carrel: '0.1.0' } },
        ...{ diskFreeBytes: 12_345, state: 'working', refusing: null },
        claims: [{ key: { run: 'run-1', task: 'task-1', attempt: 1 }, host: 'h', claim: 1 }],
      });
      expect((await engine.progress('run-1')).claims).toEqual(host?.claims);
      gate.open();
      await worker.drain();
      expect(await engine.hosts()).toMatchObject([{ state: 'gone', claims: [] }]);
    });

    test('a host that has left stays gone, also when a beat was under way', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const { engine: own } = await fleet.connect({ beatMs: 1 });
      for (let round = 0; round < 10; round += 1) {
        const worker = startWorker(own, {});
        await eventually(async () => expect(await engine.hosts()).toMatchObject([{ state: 'working' }]));
        await worker.drain();
        expect(await engine.hosts()).toMatchObject([{ state: 'gone' }]);
      }
    });

    test('a host that refuses claims nothing until it no longer does', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms(), jobs(1));
      let refusing: string | undefined = 'the disk is full';
      const worker = startWorker(engine, { look: () => ({ diskFreeBytes: 0, refusing }) });
      await eventually(async () =>
        expect(await engine.hosts()).toMatchObject([{ state: 'refusing', refusing: 'the disk is full' }]),
      );
      expect(worker.tasks).toEqual([]);
      refusing = undefined;
      expect(await watchAll(engine)).toHaveLength(1);
      await worker.drain();
    });

    test('a host without a beat is silent', async () => {
      const fleet = await open();
      const own = await fleet.connect();
      const worker = startWorker(own.engine, {});
      const { engine: strict } = await fleet.connect({ lifeMs: 300 });
      await eventually(async () => expect(await strict.hosts()).toMatchObject([{ state: 'working' }]));
      own.setAway(true);
      await eventually(async () => expect(await strict.hosts()).toMatchObject([{ state: 'silent' }]));
      await worker.drain();
    });

    test('draining finishes what runs and claims nothing more', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms(), jobs(3));
      const gate = createGate();
      const worker = startWorker((await fleet.connect({ beatMs: 20_000 })).engine, {}, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      await engine.drain('host-1');
      expect(await engine.hosts()).toMatchObject([{ state: 'draining' }]);
      gate.open();
      await worker.ended;
      expect((await engine.progress('run-1')).jobs.claimed).toBe(0);
      expect(worker.claimed.every(({ signal }) => !signal.aborted)).toBe(true);
      await expect(engine.drain('unknown')).rejects.toMatchObject({ code: 'FLEET_HOST_NOT_FOUND' });
    });

    test('its own signal drains a host, too', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(3));
      const gate = createGate();
      const worker = startWorker(engine, {}, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      const ended = worker.drain();
      gate.open();
      await ended;
      expect(worker.tasks).toEqual(['task-1']);
      expect((await engine.progress('run-1')).jobs).toMatchObject({ done: 1, open: 2 });
    });

    test('stopping aborts the handlers, and their jobs are open again', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms(), jobs(2));
      const gate = createGate();
      const worker = startWorker(engine, { slots: 2 }, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(2));
      await worker.stop();
      expect(worker.claimed.map(({ signal }) => signal.reason)).toEqual(['stopped', 'stopped']);
      expect((await engine.progress('run-1')).jobs).toMatchObject({ open: 2, claimed: 0 });
      const next = startWorker(engine, { slots: 2 });
      expect(await watchAll(engine)).toHaveLength(2);
      await next.drain();
    });

    test('a host that is stopped while it claims begins nothing', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms(), jobs(1));
      let looks = 0;
      // The first look is part of its arrival, the second is before its first claim.
      const look = () => {
        if (++looks === 2) void worker.stop();
        return { diskFreeBytes: 1 };
      };
      const own = (await fleet.connect({ beatMs: 20_000 })).engine;
      const worker: Worker = startWorker(own, { look }, createGate().handle);
      await worker.ended;
      expect(worker.tasks).toEqual([]);
      expect((await engine.progress('run-1')).jobs).toMatchObject({ open: 1, claimed: 0 });
    });

    test('a worker that may, returns when there is nothing to do', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(3));
      const worker = startWorker(engine, { untilIdleMs: 50 });
      await worker.ended;
      expect(worker.tasks).toHaveLength(3);
    });

    test('a provider that slows one host slows all, for the longest time that one of them named', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      const { engine: other } = await fleet.connect();
      await engine.slowDown('anthropic', 600_000);
      await other.slowDown('anthropic', 1000);
      await other.slowDown('openai', 1);
      const [limit, ...others] = await eventually(async () => {
        const limits = await other.limits();
        expect(limits).toHaveLength(1);
        return limits;
      });
      expect(others).toEqual([]);
      expect(limit?.provider).toBe('anthropic');
      expect(limit?.remainingMs).toBeGreaterThan(500_000);
      expect(limit?.remainingMs).toBeLessThanOrEqual(600_000);
    });

    test('no host claims a job of a slowed provider until its time is over, and other jobs do not wait', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.slowDown('anthropic', 3_600_000);
      await engine.slowDown('openai', 1500);
      await engine.submit(terms(), [
        job('slowed', { provider: 'anthropic', priority: 9 }),
        job('later', { provider: 'openai', priority: 5 }),
        job('plain'),
        job('other', { provider: 'google' }),
      ]);
      const worker = startWorker((await fleet.connect()).engine, {});
      await eventually(() => expect(worker.tasks.toSorted()).toEqual(['later', 'other', 'plain']));
      await worker.drain();
      expect((await engine.progress('run-1')).jobs).toMatchObject({ open: 1, done: 3 });
    });

    test('closing stops its workers, can be repeated, and ends every use', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(1));
      const gate = createGate();
      const worker = startWorker(engine, {}, gate.handle);
      await eventually(() => expect(worker.claimed).toHaveLength(1));
      await Promise.all([engine.close(), engine.close()]);
      await worker.ended;
      expect(worker.claimed[0]?.signal.reason).toBe('stopped');
      await expect(engine.runs()).rejects.toMatchObject({ code: 'INTERNAL' });
    });
  });
}
