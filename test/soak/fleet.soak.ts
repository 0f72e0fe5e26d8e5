import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Engine, type EngineTiming, FLEET_TIMING } from '../../src/fleet/engine/engine.js';
import type { JobResult } from '../../src/fleet/engine/job.js';
import { openPostgresEngine } from '../../src/fleet/postgres/open-postgres-engine.js';
import { withFleetBench } from '../helpers/fleet/fleet-bench.js';
import { usePostgres } from '../helpers/fleet/postgres.js';
import { createSeededRandom, type SeededRandom } from '../helpers/seeded-random.js';
import { waitFor } from '../helpers/wait-for.js';
import { type Crew, type Entry, type Member, waitingJob, withCrew } from './fleet/crew.js';
import { SEED, scaled } from './scale.js';

const postgres = usePostgres();

const NO_OPS = scaled(10_000, 500);
const DISPATCHES = scaled(200, 20);
const ROUNDS = scaled(200, 4);
const OUTAGE_MS = scaled(20_000, 4000);
const OUTAGE_JOBS = 240;

const print = (line: string) =>
  process.stdout.write(`${line} (load ${loadavg()[0]?.toFixed(1)}, ${new Date().toISOString()})\n`);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function withEngine(
  timing: EngineTiming,
  use: (engine: Engine, url: string) => Promise<void>,
): Promise<void> {
  const url = await postgres.createFleet();
  const engine = await openPostgresEngine({ url, timing });
  try {
    await use(engine, url);
  } finally {
    await engine.close();
  }
}

const termsOf = (run: string, parallelism = 100) => ({ run, parallelism, costLimitUsd: null, plan: '' });

async function watchAll(engine: Engine, run: string): Promise<JobResult[]> {
  const results: JobResult[] = [];
  for await (const result of engine.watch(run, {})) results.push(result);
  return results;
}

it(`${NO_OPS} no-op jobs through three workers have ${NO_OPS} results`, async () => {
  await withEngine(FLEET_TIMING, async (engine, url) => {
    await withCrew({ url, slots: 4, keepsJournal: false }, async () => {
      print(`dispatch, median of ${DISPATCHES}: ${(await measureDispatch(engine)).toFixed(1)} ms`);
      const jobs = Array.from({ length: NO_OPS }, (_, index) => waitingJob('many', index + 1));
      const start = performance.now();
      await engine.submit(termsOf('many'), jobs);
      const submitted = performance.now();
      const results = await watchAll(engine, 'many');
      const seconds = (performance.now() - start) / 1000;
      print(
        `${NO_OPS} no-ops: ${seconds.toFixed(1)} s, submission ${((submitted - start) / 1000).toFixed(1)} s of it`,
      );
      expect(new Set(results.map(({ key }) => key.task)).size).toBe(NO_OPS);
      expect(results).toHaveLength(NO_OPS);
      expect(results.filter(({ record, claim }) => record === null || claim !== 1)).toEqual([]);
    });
  });
});

/** From the call of `submit` to the start of the handler, with idle workers. */
async function measureDispatch(engine: Engine): Promise<number> {
  const times: number[] = [];
  for (let number = 1; number <= DISPATCHES; number++) {
    const start = performance.timeOrigin + performance.now();
    await engine.submit(termsOf('single'), [waitingJob('single', number)]);
    for await (const { record } of engine.watch('single', { after: number - 1 }))
      times.push((JSON.parse(record ?? '{}') as { begun: number }).begun - start);
  }
  return median(times);
}

/** A tenth of the usual times: a round takes seconds. */
const FAST: EngineTiming = { beatMs: 400, silenceMs: 900, lifeMs: 1200, pollMs: 250 };

it(`${ROUNDS} rounds of stopped, killed and partitioned workers record no stale result`, async () => {
  await withEngine(FAST, async (engine, url) => {
    await withCrew({ url, slots: 3, timing: FAST, keepsJournal: true, hasProxies: true }, async crew => {
      const random = createSeededRandom(SEED);
      const reaping = new AbortController();
      const reaper = reapUntil(engine, reaping.signal);
      const sum = { repeated: 0, refused: 0, gaveUp: 0 };
      for (let round = 1; round <= ROUNDS; round++) {
        const run = `round-${round}`;
        const jobs = Array.from({ length: 6 }, (_, index) => {
          const work = { ms: 50 + Math.round(random.next() * 1500), isDeaf: random.next() < 0.5 };
          return waitingJob(run, index + 1, work);
        });
        await engine.submit(termsOf(run), jobs);
        const [results] = await Promise.all([watchAll(engine, run), disturb(crew, random)]);
        const found = judge(run, results, crew.readJournal());
        expect(found.problems, `round ${round} of seed ${SEED}`).toEqual([]);
        sum.repeated += found.repeated;
        sum.refused += found.refused;
        sum.gaveUp += found.gaveUp;
        if (round % 20 === 0) print(`${round} rounds: ${JSON.stringify(sum)}`);
      }
      print(`${ROUNDS} rounds, 0 stale results: ${JSON.stringify(sum)}`);
      reaping.abort();
      await reaper;
    });
  });
});

async function reapUntil(engine: Engine, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await engine.reap().catch(() => undefined);
    await delay(100, undefined, { signal }).catch(() => undefined);
  }
}

/** One fault of one worker, from a random moment for a random time around the life of a claim. */
async function disturb({ members }: Crew, random: SeededRandom): Promise<void> {
  const member = random.pick(members);
  const fault = random.pick(['stop', 'kill', 'partition'] as const);
  const [before, during] = [random.next() * 1200, random.next() * 3 * FAST.lifeMs];
  const end = random.pick(['deliver', 'break'] as const);
  await delay(before);
  const undo = await inflict(member, fault, end);
  await delay(during);
  await undo();
}

async function inflict(
  member: Member,
  fault: 'stop' | 'kill' | 'partition',
  end: 'deliver' | 'break',
): Promise<() => Promise<void>> {
  switch (fault) {
    case 'stop':
      member.signal('SIGSTOP');
      return async () => member.signal('SIGCONT');
    case 'kill':
      await member.kill();
      return () => member.start();
    case 'partition':
      member.proxy?.pause();
      return async () => member.proxy?.resume(end);
  }
}

/** A stale result is one of a claim that was not the last one. */
function judge(run: string, results: readonly JobResult[], journal: readonly Entry[]) {
  const own = journal.filter(entry => entry.run === run);
  const problems: string[] = [];
  if (results.length !== 6) problems.push(`${results.length} results`);
  let [repeated, refused] = [0, 0];
  for (const { key, claim, record, host } of results) {
    const entries = own.filter(({ task }) => task === key.task);
    const last = Math.max(...entries.filter(({ event }) => event === 'begun').map(entry => entry.claim));
    const said = record === null ? undefined : (JSON.parse(record) as { host: string; claim: number });
    if (claim !== last) problems.push(`${key.task}: claim ${claim} is recorded, ${last} was begun`);
    if (said && (said.claim !== claim || said.host !== host))
      problems.push(`${key.task}: the record of claim ${said.claim} is in the result of ${claim}`);
    repeated += last - 1;
    refused += entries.filter(({ event, claim: of }) => event === 'finished' && of !== claim).length;
  }
  return { problems, repeated, refused, gaveUp: results.filter(({ record }) => record === null).length };
}

it(`a database that is killed for ${OUTAGE_MS / 1000} s loses nothing, and nothing that had finished runs again`, async () => {
  await withEngine(FLEET_TIMING, async (engine, url) => {
    await withCrew({ url, slots: 4, keepsJournal: true }, async ({ readJournal }) => {
      const reaping = new AbortController();
      const reaper = reapUntil(engine, reaping.signal);
      const jobs = Array.from({ length: OUTAGE_JOBS }, (_, index) =>
        waitingJob('outage', index + 1, { ms: 100 + (index % 20) * 40 }),
      );
      await engine.submit(termsOf('outage', 24), jobs);
      const watching = watchAll(engine, 'outage');
      const isHalf = () =>
        readJournal().filter(({ event }) => event === 'finished').length >= OUTAGE_JOBS / 2;
      await waitFor('half of the jobs', () => isHalf() || undefined, 300_000);
      await postgres.kill();
      await delay(OUTAGE_MS);
      await postgres.start();
      const back = performance.now();
      const results = await watching;
      reaping.abort();
      await reaper;
      const finished = readJournal().filter(({ event }) => event === 'finished');
      const begun = readJournal().filter(({ event }) => event === 'begun');
      print(
        `outage of ${OUTAGE_MS / 1000} s: ${results.length} results, ${begun.length - OUTAGE_JOBS} begun again, all done ${((performance.now() - back) / 1000).toFixed(1)} s after it`,
      );
      expect(results.map(({ record }) => record).filter(record => record === null)).toEqual([]);
      expect(new Set(results.map(({ key }) => key.task)).size).toBe(OUTAGE_JOBS);
      expect(finished.map(({ task }) => task).toSorted()).toEqual(jobs.map(({ key }) => key.task).toSorted());
    });
  });
});

it('an idle worker has little memory', async () => {
  await withFleetBench(await postgres.createDatabase(), async bench => {
    const { process: worker } = await bench.startWorker('idle', '--slots', '4');
    await waitFor('a beat', () => bench.hosts().find(({ state }) => state === 'working'));
    // What its start needed is returned in the seconds after it.
    await delay(scaled(20_000, 5000));
    const pid = worker.child.pid as number;
    const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'latin1') : '';
    const megabytes = (name: string) =>
      Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024);
    print(`idle worker: ${megabytes('VmRSS')} MB resident, ${megabytes('RssAnon')} MB of it its own`);
    if (status !== '') expect(megabytes('RssAnon')).toBeLessThanOrEqual(90);
  });
});
