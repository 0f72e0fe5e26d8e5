import type { HostReport, HostState, WorkHost } from './host.js';
import type { Job, JobResult } from './job.js';
import type { RunProgress, RunSummary, RunTerms } from './run.js';

/**
 * Decides which host does which job, and records each result exactly once. Jobs and records are opaque strings here.
 * README.md has the states of a job and the invariants. Every method rejects with FLEET_UNAVAILABLE when the database
 * does not answer, and with INTERNAL after `close`.
 */
export interface Engine {
  /**
   * Adds jobs to a run, which is created when it is new. Idempotent by key: a job that exists is unchanged, except that
   * a cancelled one is waiting again. New terms replace the old ones. FLEET_RUN_DIFFERS when the run has another plan,
   * FLEET_JOB_TOO_LARGE.
   */
  submit(terms: RunTerms, jobs: readonly Job[]): Promise<{ readonly added: number }>;

  /**
   * Claims jobs and calls the handler for each, at most `host.slots` at a time, until it is drained or stopped. Higher
   * priorities first, then in the order in which jobs were opened. What the handler returns is recorded, or spooled
   * while the database is away. A handler that throws ends its claim, and the job is open again for other hosts; the
   * third time it is given up. Never rejects because the database is away: `host.onTrouble` gets the error.
   */
  work(host: WorkHost, handle: (claimed: Claimed) => Promise<Handled>): Promise<void>;

  /**
   * Records the result of a claim, ends the claim, settles its reservation and opens the next job, in one transaction.
   * `stale` when the claim is no longer the current one: then nothing is changed. `work` calls it; a caller that holds a
   * claim from elsewhere may. FLEET_RECORD_TOO_LARGE.
   */
  record(claim: Claim, result: { readonly record: string; readonly costUsd: number }): Promise<Recorded>;

  /**
   * Reserves money of the run for a claim, in addition to what it has. `held`: other claims have reserved it, and it may
   * become free; `spent`: it is gone; `stale`: the claim has ended. Always `reserved` for a run without a limit.
   */
  reserve(claim: Claim, capUsd: number): Promise<'reserved' | 'held' | 'spent' | 'stale'>;

  /**
   * Cancels every job that no host has claimed. The handlers of claimed ones are aborted with `cancelled`, or may
   * finish; what they return is recorded. FLEET_RUN_NOT_FOUND.
   */
  cancel(run: string, options?: { readonly claimed: 'stop' | 'finish' }): Promise<void>;

  /** The results with a sequence above `after`, in order, at most 1,000. FLEET_RUN_NOT_FOUND. */
  results(run: string, after?: number): Promise<JobResult[]>;

  /**
   * The results with a sequence above `after` as they are recorded. Ends when every job is done or cancelled, or when
   * the signal is aborted. Continues after an outage. FLEET_RUN_NOT_FOUND.
   */
  watch(
    run: string,
    options: { readonly after?: number; readonly signal?: AbortSignal },
  ): AsyncIterable<JobResult>;

  /**
   * The submitter has the results up to this sequence, with their files, for good. A lower number than before changes
   * nothing. FLEET_RUN_NOT_FOUND.
   */
  acknowledge(run: string, sequence: number): Promise<void>;
  /** The bodies of its jobs with a position above `after`, in order, at most 1,000. */
  bodies(run: string, after?: number): Promise<{ readonly position: number; readonly body: string }[]>;

  /** Newest first. */
  runs(): Promise<RunSummary[]>;
  /** FLEET_RUN_NOT_FOUND. */
  progress(run: string): Promise<RunProgress>;
  /** Every host that ever worked here, by name. */
  hosts(): Promise<HostState[]>;
  /** The host claims nothing more, finishes what it has, and its `work` returns. FLEET_HOST_NOT_FOUND. */
  drain(hostId: string): Promise<void>;

  /**
   * Ends the claims of silent hosts, so that other hosts do their jobs. Only a coordinator calls it, every second.
   * Ends nothing before the database has answered this engine for longer than a claim lives; a call that fails, or a
   * pause of that length between two calls, starts this time again.
   */
  reap(): Promise<Reaped>;

  /** No host claims a job of the provider for that long; a shorter time than the current one changes nothing. */
  slowDown(provider: string, forMs: number): Promise<void>;
  /** The providers that are to be left alone now, and for how long. */
  limits(): Promise<{ readonly provider: string; readonly remainingMs: number }[]>;

  /** What `configure` was called with last, such as where artifacts are; null before. Opaque to the engine. */
  settings(): Promise<string | null>;
  configure(settings: string): Promise<void>;

  /** Idempotent. */
  close(): Promise<void>;
}

/** The right of one host to do one job, until it is recorded, left or reaped. */
export interface Claim {
  /** The engine's name for this job in its queue. */
  readonly id: string;
  /** 1 for the first claim of the job. */
  readonly number: number;
  readonly host: string;
  readonly job: Job;
}

export interface Claimed {
  readonly claim: Claim;
  /** Aborted when the claim is no longer to be worked on; `reason` is a `ClaimEnd`. Never after a normal end. */
  readonly signal: AbortSignal;
  /** Shown in `progress` and `hosts` from the next beat on; `text` is cut at 200 characters. */
  report(progress: HostReport): void;
}

/**
 * Why a handler must stop. `lost`: another host has the job, or will. `cancelled`: the run was. `budget`: it has spent
 * more than it reserved, and there is no more. `silent`: this host could not beat. `stopped`: the stop signal of `work`.
 */
export type ClaimEnd = 'lost' | 'cancelled' | 'budget' | 'silent' | 'stopped';

/** What a handler returns: the result to record, or why this host leaves the job to others. */
export type Handled =
  | { readonly kind: 'done'; readonly record: string; readonly costUsd: number }
  | { readonly kind: 'left'; readonly reason: string };

export type Recorded = 'recorded' | 'stale';

export interface Reaped {
  /** Milliseconds before anything can be reaped; 0 when this call did. */
  readonly graceMs: number;
  /** Claims that were ended. */
  readonly ended: readonly Claim[];
  /** Those whose jobs were given up. */
  readonly gaveUp: readonly Claim[];
}

/** How often a host beats and when it is dead, in milliseconds. All processes of a fleet use the same. */
export interface EngineTiming {
  /** Between two beats of a host. */
  readonly beatMs: number;
  /** Without a beat for this long, a host stops its handlers. Above `beatMs`, below `lifeMs`. */
  readonly silenceMs: number;
  /** Without a beat for this long, a claim can be reaped. */
  readonly lifeMs: number;
  /** The longest time between two looks at the database when no notification arrives. */
  readonly pollMs: number;
}

/** A host that is killed is noticed within 13 s: a claim lives for 12 s, and the coordinator reaps every second. */
export const FLEET_TIMING: EngineTiming = { beatMs: 4000, silenceMs: 9000, lifeMs: 12_000, pollMs: 1000 };
