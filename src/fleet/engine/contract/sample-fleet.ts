import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Claimed, Engine, EngineTiming, Handled } from '../engine.js';
import type { WorkHost } from '../host.js';
import type { Job, JobResult } from '../job.js';
import type { RunTerms } from '../run.js';

/** One fleet, empty at first, that several processes could connect to. */
export interface EngineUnderTest {
  /** Another connection to the same fleet. */
  connect(timing: EngineTiming): Promise<ConnectedEngine>;
  /** Called when the test ends and every engine is closed. */
  close(): Promise<void>;
}

export interface ConnectedEngine {
  readonly engine: Engine;
  /** While it is away, the database answers no call of this engine. */
  setAway(isAway: boolean): void;
}

/** The fleet of one test, and how it connects to it. */
export interface SampleFleet {
  connect(timing?: Partial<EngineTiming>): Promise<ConnectedEngine>;
  /** An engine of a coordinator for which a host of `SLOW` is dead between two of its beats. */
  reaper(): Promise<Engine>;
}

/** For hosts that are to lose their claims, and notice it with their next beat. */
export const SLOW: Partial<EngineTiming> = { beatMs: 1500 };

/** No host is silent in a test by accident, also on a busy machine. */
const PATIENT: EngineTiming = { beatMs: 100, silenceMs: 60_000, lifeMs: 120_000, pollMs: 100 };

export function createFleet(open: () => Promise<EngineUnderTest>): () => Promise<SampleFleet> {
  return async () => {
    const subject = await open();
    const engines: Engine[] = [];
    onTestFinished(async () => {
      await Promise.all(engines.map(engine => engine.close()));
      await subject.close();
    });
    const connect: SampleFleet['connect'] = async timing => {
      const connected = await subject.connect({ ...PATIENT, ...timing });
      engines.push(connected.engine);
      return connected;
    };
    return { connect, reaper: async () => (await connect({ lifeMs: 400 })).engine };
  };
}

export const terms = (more: Partial<RunTerms> = {}): RunTerms => ({
  ...{ run: 'run-1', parallelism: 100, costLimitUsd: null, plan: 'the plan' },
  ...more,
});

export const job = (task: string, more: Partial<Job> & { run?: string; attempt?: number } = {}): Job => {
  const { run = 'run-1', attempt = 1, ...rest } = more;
  return { key: { run, task, attempt }, priority: 0, labels: [], body: `{"task":"${task}"}`, ...rest };
};

export const jobs = (count: number): Job[] =>
  Array.from({ length: count }, (_, index) => job(`task-${index + 1}`));

export const done = (record = 'done', costUsd = 0): Handled => ({ kind: 'done', record, costUsd });

export interface Worker {
  /** The tasks that its handlers began with, in order. */
  readonly tasks: string[];
  /** What its handlers were given, in order. */
  readonly claimed: Claimed[];
  readonly troubles: unknown[];
  /** Its `work` has returned. */
  readonly ended: Promise<void>;
  /** Drains it and waits. */
  drain(): Promise<void>;
  /** Stops it and waits. */
  stop(): Promise<void>;
}

export type WorkerOptions = Partial<WorkHost> & { readonly id?: string };

export function startWorker(
  engine: Engine,
  options: WorkerOptions,
  handle: (claimed: Claimed) => Promise<Handled> = async () => done(),
): Worker {
  const drain = new AbortController();
  const stop = new AbortController();
  const tasks: string[] = [];
  const claimed: Claimed[] = [];
  const troubles: unknown[] = [];
  const host: WorkHost = {
    ...{ id: 'host-1', name: options.id ?? 'host-1', labels: [], slots: 1, versions: { carrel: '1' } },
    spoolDir: options.spoolDir ?? makeDirectory(),
    onTrouble: error => troubles.push(error),
    ...options,
    drain: drain.signal,
    stop: stop.signal,
  };
  const ended = engine.work(host, async one => {
    tasks.push(one.claim.job.key.task);
    claimed.push(one);
    return handle(one);
  });
  return {
    ...{ tasks, claimed, troubles, ended },
    drain: () => {
      drain.abort();
      return ended;
    },
    stop: () => {
      stop.abort();
      return ended;
    },
  };
}

export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'carrel-engine-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A handler that waits until it is released or aborted; then it returns what it was released with, or leaves. */
export function createGate(): {
  readonly handle: (claimed: Claimed) => Promise<Handled>;
  /** For those that wait and those to come. */
  open(handled?: Handled): void;
} {
  let open: (handled: Handled) => void = () => undefined;
  const opened = new Promise<Handled>(resolve => {
    open = resolve;
  });
  const aborted = ({ signal }: Claimed) =>
    new Promise<Handled>(resolve => {
      signal.addEventListener('abort', () => resolve({ kind: 'left', reason: String(signal.reason) }));
    });
  return {
    handle: claimed => Promise.race([opened, aborted(claimed)]),
    open: (handled = done()) => open(handled),
  };
}

/** Repeats until it does not throw. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 30_000, interval: 15 });

/** Every result of a run that ends. */
export async function watchAll(engine: Engine, run = 'run-1'): Promise<JobResult[]> {
  const results: JobResult[] = [];
  for await (const result of engine.watch(run, {})) results.push(result);
  return results;
}

/** Ends claims of hosts of `SLOW`, at least one. */
export async function endClaims(reaper: Engine): Promise<void> {
  await eventually(async () => {
    const { ended } = await reaper.reap();
    if (ended.length === 0) throw new Error('no claim was silent yet');
  });
}
