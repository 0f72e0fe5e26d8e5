import type { HostReport } from './host.js';
import type { JobKey } from './job.js';

export interface RunTerms {
  readonly run: string;
  /** How many of its jobs are open or claimed at once, at least 1. Also counts open jobs that no host can do. */
  readonly parallelism: number;
  /** What its claims may reserve together; null without a limit. */
  readonly costLimitUsd: number | null;
  /** What the submitter needs to continue the run elsewhere. Opaque to the engine, and never changed. */
  readonly plan: string;
}

export interface RunSummary extends RunTerms {
  /** `finished`: every job is done. `cancelled` until it is submitted again. */
  readonly state: 'running' | 'finished' | 'cancelled';
  readonly submittedAt: number;
  /** How many jobs are in each state. */
  readonly jobs: {
    readonly waiting: number;
    readonly open: number;
    readonly claimed: number;
    readonly done: number;
    readonly cancelled: number;
  };
  /** The highest sequence of its results. */
  readonly results: number;
  /** The highest sequence that the submitter has acknowledged. */
  readonly acknowledged: number;
  /** Costs of results, and what dead hosts had reserved (`unknownUsd`). */
  readonly spentUsd: number;
  readonly unknownUsd: number;
  readonly reservedUsd: number;
}

export interface RunProgress extends RunSummary {
  /** What hosts do now, the longest first. */
  readonly claims: readonly ClaimProgress[];
  /** Open jobs that hosts left, and the last reason. */
  readonly left: readonly { readonly key: JobKey; readonly reason: string }[];
}

export interface ClaimProgress {
  readonly key: JobKey;
  readonly host: string;
  readonly claim: number;
  /** By the clock of the database. */
  readonly since: number;
  readonly report: HostReport | null;
}
