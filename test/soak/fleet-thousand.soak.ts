import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Claim, FLEET_TIMING } from '../../src/fleet/engine/engine.js';
import type { WorkHost } from '../../src/fleet/engine/host.js';
import { arriveHost, type Beat, beatHost } from '../../src/fleet/ledger/beat-host.js';
import { type Claimant, claimJobs } from '../../src/fleet/ledger/claim-jobs.js';
import type { LedgerSession } from '../../src/fleet/ledger/ledger-session.js';
import { listRuns, readProgress } from '../../src/fleet/ledger/reading/read-runs.js';
import { recordResult } from '../../src/fleet/ledger/record-result.js';
import { submitJobs } from '../../src/fleet/ledger/submit-jobs.js';
import { openPostgresLedger } from '../../src/fleet/postgres/postgres-ledger.js';
import { usePostgres } from '../helpers/fleet/postgres.js';
import { waitingJob } from './fleet/crew.js';
import { scaled } from './scale.js';

const postgres = usePostgres();

const HOSTS = scaled(1000, 50);
const SLOTS = 8;
/** Of one attempt: it decides how many claims and results there are in a second. */
const ATTEMPT_MS = 10 * 60_000;
const SECONDS = scaled(60, 10);
/** Of each closed loop at the end. */
const LOOP_MS = scaled(10_000, 2000);
const LEDGERS = 4;

const print = (line: string) => process.stdout.write(`${line} (load ${loadavg()[0]?.toFixed(1)})\n`);

it(`a database serves the claims, beats and results of ${HOSTS} hosts`, async () => {
  const url = await postgres.createFleet();
  const ledgers = await Promise.all(Array.from({ length: LEDGERS }, () => openPostgresLedger(url)));
  try {
    const fleet = await fillFleet(ledgers);
    const steady = await runSteadily(fleet);
    for (const [what, { asked, times }] of Object.entries(steady)) {
      print(
        `${what}: ${perSecond(times.length, SECONDS * 1000)} of ${perSecond(asked, SECONDS * 1000)} asked, ${describe(times)}`,
      );
      expect(times.length).toBeGreaterThan(0);
    }
    print(`most beats: ${perSecond(await loop(() => beat(fleet)), LOOP_MS)}`);
    print(`most results, each with the next claim: ${perSecond(await loop(() => turnOver(fleet)), LOOP_MS)}`);
    const progress = await readProgress(ledgers[0] as LedgerSession, 'sim');
    expect(progress.jobs.claimed).toBe(HOSTS * SLOTS);
    expect(progress.results).toBe(progress.jobs.done);
  } finally {
    await Promise.all(ledgers.map(ledger => ledger.close()));
  }
});

interface SimulatedHost {
  readonly beat: Beat;
  readonly claimant: Claimant;
  readonly claims: Claim[];
}

interface SimulatedFleet {
  readonly hosts: readonly SimulatedHost[];
  nextLedger(): LedgerSession;
  nextHost(): SimulatedHost;
}

/** Every host has as many claims as slots, and jobs are left for the whole simulation. */
async function fillFleet(ledgers: readonly LedgerSession[]): Promise<SimulatedFleet> {
  const [ledger] = ledgers as [LedgerSession];
  const terms = { run: 'sim', parallelism: HOSTS * SLOTS, costLimitUsd: null, plan: '' };
  const jobs = Array.from({ length: HOSTS * SLOTS * 2 + 5000 }, (_, index) => waitingJob('sim', index + 1));
  await submitJobs(ledger, terms, jobs);
  const hosts: SimulatedHost[] = [];
  for (let number = 1; number <= HOSTS; number++) hosts.push(await fillHost(ledger, `host-${number}`));
  const nextOf = <T>(all: readonly T[]) => {
    let next = 0;
    return () => all[next++ % all.length] as T;
  };
  return { hosts, nextLedger: nextOf(ledgers), nextHost: nextOf(hosts) };
}

async function fillHost(ledger: LedgerSession, id: string): Promise<SimulatedHost> {
  const host: WorkHost = {
    ...{ id, name: id, labels: [], slots: SLOTS, versions: { carrel: '0.1.0' }, spoolDir: '' },
    drain: new AbortController().signal,
  };
  const claimant: Claimant = {
    ...{ host: id, session: `session of ${id}`, labels: [], foreignGroups: new Set<string>() },
    pausedGroups: new Map(),
  };
  const about = { host, session: claimant.session, diskFreeBytes: 1e11, refusing: null };
  await arriveHost(ledger, { ...about, entries: [] });
  const claims = await claimJobs(ledger, claimant, SLOTS);
  const beat: Beat = {
    ...about,
    get entries() {
      return claims.map(claim => claim.id);
    },
  };
  return { beat, claimant, claims };
}

const beat = async (fleet: SimulatedFleet): Promise<void> => {
  await beatHost(fleet.nextLedger(), fleet.nextHost().beat);
};

/** A host records a result and claims the next job. Each call has another host, so that none has two at once. */
async function turnOver(fleet: SimulatedFleet): Promise<void> {
  const { claims, claimant } = fleet.nextHost();
  const claim = claims.shift();
  if (!claim) return;
  const ledger = fleet.nextLedger();
  await recordResult(ledger, claim, { record: '{"manifest":"0"}', costUsd: 0.01 });
  claims.push(...(await claimJobs(ledger, claimant, 1)));
}

/** What a coordinator asks every second. */
const look = async (fleet: SimulatedFleet): Promise<void> => {
  await readProgress(fleet.nextLedger(), 'sim');
};

/** `fleet ls`, once in a while. */
const list = async (fleet: SimulatedFleet): Promise<void> => {
  await listRuns(fleet.nextLedger());
};

interface Steady {
  asked: number;
  readonly times: number[];
}

/** Each action at the rate of that number of hosts, for the time of the simulation. */
async function runSteadily(fleet: SimulatedFleet): Promise<Record<string, Steady>> {
  const rates: [string, number, (fleet: SimulatedFleet) => Promise<void>][] = [
    ['beats', HOSTS / (FLEET_TIMING.beatMs / 1000), beat],
    ['results with the next claim', (HOSTS * SLOTS) / (ATTEMPT_MS / 1000), turnOver],
    ['looks of a coordinator', 1, look],
    ['lists of runs', 0.2, list],
  ];
  const entries = rates.map(async ([what, rate, act]) => [what, await pace(rate, () => act(fleet))] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Starts an action that often, unless too many of them still run: a host does not beat again before its last beat. */
async function pace(rate: number, act: () => Promise<void>): Promise<Steady> {
  const steady: Steady = { asked: 0, times: [] };
  const start = performance.now();
  const running = new Set<Promise<void>>();
  for (; steady.asked < rate * SECONDS; steady.asked++) {
    const wait = start + (steady.asked * 1000) / rate - performance.now();
    if (wait > 0) await delay(wait);
    if (running.size >= MOST_AT_ONCE) continue;
    const begun = performance.now();
    const one: Promise<void> = act()
      .then(() => void steady.times.push(performance.now() - begun))
      .finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  return steady;
}

const MOST_AT_ONCE = 32;

/** Sixteen callers, each one call after the other; the number of calls. */
async function loop(act: () => Promise<void>): Promise<number> {
  const end = performance.now() + LOOP_MS;
  let calls = 0;
  const call = async (): Promise<void> => {
    while (performance.now() < end) {
      await act();
      calls++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, call));
  return calls;
}

const perSecond = (count: number, ms: number): string => `${((count * 1000) / ms).toFixed(1)}/s`;

function describe(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  return `median ${at(0.5)} ms, 95 % within ${at(0.95)} ms`;
}
