import { describe, expect, test } from 'vitest';
import {
  createGate,
  done,
  eventually,
  job,
  jobs,
  type SampleFleet,
  startWorker,
  terms,
  watchAll,
} from './sample-fleet.js';

export function describeClaiming(open: () => Promise<SampleFleet>): void {
  describe('claiming', () => {
    test('submitting a job again changes nothing', async () => {
      const { engine } = await (await open()).connect();
      expect(await engine.submit(terms(), jobs(3))).toEqual({ added: 3 });
      expect(await engine.submit(terms(), jobs(4))).toEqual({ added: 1 });
      expect((await engine.progress('run-1')).jobs).toMatchObject({ open: 4, waiting: 0 });
    });

    test('a run with another plan and a job that is too large are refused', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(1));
      await expect(engine.submit(terms({ plan: 'another' }), jobs(2))).rejects.toMatchObject({
        code: 'FLEET_RUN_DIFFERS',
      });
      const large = job('large', { body: 'x'.repeat(2049) });
      await expect(engine.submit(terms(), [large])).rejects.toMatchObject({ code: 'FLEET_JOB_TOO_LARGE' });
      expect((await engine.progress('run-1')).jobs.open).toBe(1);
    });

    test('higher priorities are claimed first', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), [
        job('low', { priority: -1 }),
        job('high', { priority: 5 }),
        job('middle', { priority: 2 }),
      ]);
      const worker = startWorker(engine, {});
      await watchAll(engine);
      expect(worker.tasks).toEqual(['high', 'middle', 'low']);
      await worker.drain();
    });

    test('with a window of one, jobs are claimed in the order of priority and submission', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms({ parallelism: 1 }), [...jobs(5), job('urgent', { priority: 1 })]);
      const worker = startWorker(engine, { slots: 4 });
      await watchAll(engine);
      expect(worker.tasks).toEqual(['urgent', 'task-1', 'task-2', 'task-3', 'task-4', 'task-5']);
      await worker.drain();
    });

    test('no more jobs than the parallelism are open or claimed, and no more than its slots run on a host', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms({ parallelism: 3 }), jobs(12));
      let running = 0;
      let most = 0;
      const handle = async () => {
        most = Math.max(most, ++running);
        const { jobs: counts } = await engine.progress('run-1');
        expect(counts.open + counts.claimed).toBeLessThanOrEqual(3);
        running--;
        return done();
      };
      const wide = startWorker(engine, { id: 'wide', slots: 8 }, handle);
      const results = await watchAll(engine);
      expect(results.map(result => result.gaveUp)).toEqual(Array(12).fill(null));
      expect(most).toBeLessThanOrEqual(3);
      await wide.drain();
    });

    test('a host runs no more handlers than it has slots', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(5));
      const gate = createGate();
      const worker = startWorker(engine, { slots: 2 }, gate.handle);
      await eventually(() => expect(worker.tasks).toHaveLength(2));
      expect((await engine.progress('run-1')).jobs).toMatchObject({ claimed: 2, open: 3 });
      gate.open();
      expect(await watchAll(engine)).toHaveLength(5);
      await worker.drain();
    });

    test('a job waits for a host with its labels, and other jobs do not wait behind it', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), [
        job('gpu', { labels: ['gpu', 'linux'], priority: 9 }),
        job('plain'),
        job('linux', { labels: ['linux'] }),
      ]);
      const plain = startWorker(engine, { id: 'plain', labels: ['linux'] });
      await eventually(() => expect(plain.tasks.sort()).toEqual(['linux', 'plain']));
      const large = startWorker(engine, { id: 'large', labels: ['linux', 'gpu', 'fast'] });
      const results = await watchAll(engine);
      expect(results.find(result => result.key.task === 'gpu')?.host).toBe('large');
      expect(plain.tasks).not.toContain('gpu');
      await Promise.all([plain.drain(), large.drain()]);
    });

    test('a job that a host does not accept is left to others, with the reason', async () => {
      const { engine } = await (await open()).connect();
      await engine.submit(terms(), jobs(2));
      let offers = 0;
      const accept = ({ key }: { key: { task: string } }) => {
        if (key.task !== 'task-1') return undefined;
        offers++;
        return 'needs claude 3';
      };
      const old = startWorker(engine, { id: 'old', accept });
      const key = { run: 'run-1', task: 'task-1', attempt: 1 };
      await eventually(async () => {
        expect(old.tasks).toEqual(['task-2']);
        expect((await engine.progress('run-1')).left).toEqual([{ key, reason: 'needs claude 3' }]);
      });
      const current = startWorker(engine, { id: 'current' });
      const results = await watchAll(engine);
      expect(results.map(result => [result.key.task, result.host])).toEqual([
        ['task-2', 'old'],
        ['task-1', 'current'],
      ]);
      expect(offers).toBe(1);
      await Promise.all([old.drain(), current.drain()]);
    });

    test('several hosts do every job once', async () => {
      const fleet = await open();
      const { engine } = await fleet.connect();
      await engine.submit(terms({ parallelism: 20 }), jobs(120));
      const workers = await Promise.all(
        ['a', 'b', 'c'].map(async id =>
          startWorker((await fleet.connect()).engine, { id, slots: 3 }, async ({ claim }) =>
            done(claim.job.key.task),
          ),
        ),
      );
      const results = await watchAll(engine);
      expect(results.map(({ sequence }) => sequence)).toEqual(results.map((_, index) => index + 1));
      expect(results.map(({ record }) => record).sort()).toEqual(
        jobs(120)
          .map(({ key }) => key.task)
          .sort(),
      );
      expect(workers.flatMap(({ tasks }) => tasks)).toHaveLength(120);
      await Promise.all(workers.map(worker => worker.drain()));
    });
  });
}
