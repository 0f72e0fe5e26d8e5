/** An attempt on the fleet: which one it is, which hosts can do it, and what it says to them. */
export interface Job {
  readonly key: JobKey;
  /** Higher ones are claimed first; an integer. */
  readonly priority: number;
  /** A host needs all of them. */
  readonly labels: readonly string[];
  /** The model host that its agent uses: not claimed while `slowDown` names it. */
  readonly provider?: string | undefined;
  /** Signed JSON, below 2 KB (`LONGEST_BODY`). Opaque to the engine. */
  readonly body: string;
}

/** Unique in a fleet. */
export interface JobKey {
  readonly run: string;
  readonly task: string;
  /** From 1. */
  readonly attempt: number;
}

/** UTF-8 bytes of a job's body. What is larger travels as a blob. */
export const LONGEST_BODY = 2048;
/** UTF-8 bytes of a result's record. */
export const LONGEST_RECORD = 65_536;

export interface JobResult {
  readonly key: JobKey;
  /** From 1 in each run, without gaps, in the order of recording. */
  readonly sequence: number;
  /** The number of the claim that recorded it. */
  readonly claim: number;
  /** The id of the host that recorded it, or had the last claim. */
  readonly host: string;
  /** What the handler returned; null when the job was given up. */
  readonly record: string | null;
  /** Why the job was given up; null when it was done. */
  readonly gaveUp: string | null;
  readonly costUsd: number;
  /** By the clock of the database, in milliseconds since 1970. */
  readonly recordedAt: number;
}
