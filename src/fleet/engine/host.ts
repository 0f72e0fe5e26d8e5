import type { Job } from './job.js';
import type { ClaimProgress } from './run.js';

/** A host as `work` needs it. */
export interface WorkHost {
  /** Stays the same when the worker is restarted; one `work` at a time has it. */
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
  /** What is installed here, such as `{ carrel: '0.1.0', claude: '2.1.197' }`. */
  readonly versions: Readonly<Record<string, string>>;
  /** Where results are kept while the database is away; created when missing. One host id per directory. */
  readonly spoolDir: string;
  /** Called before every beat and claim. With a reason in `refusing` the host claims nothing, and shows it. */
  look?(): { readonly diskFreeBytes: number; readonly refusing?: string | undefined };
  /** Called with every claimed job before the handler; a reason leaves it to other hosts. */
  accept?(job: Job): string | undefined | Promise<string | undefined>;
  /** Claims nothing more when aborted, and finishes what it has. */
  readonly drain: AbortSignal;
  /** Stops the handlers, too. */
  readonly stop?: AbortSignal | undefined;
  /** Returns when it had no job for this long; never by default. */
  readonly untilIdleMs?: number | undefined;
  /** What went wrong and will be tried again. */
  onTrouble?(error: unknown): void;
}

/** What a handler says about its work. */
export interface HostReport {
  readonly text: string;
  /** Spent so far. Above what the claim has reserved, more is reserved, or the handler is aborted with `budget`. */
  readonly costUsd?: number | undefined;
}

export interface HostState {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly diskFreeBytes: number | null;
  /** `silent`: no beat for longer than a claim lives. `gone`: its `work` returned. */
  readonly state: 'working' | 'draining' | 'refusing' | 'silent' | 'gone';
  /** Why it claims nothing, when it refuses. */
  readonly refusing: string | null;
  readonly beatAt: number;
  /** Milliseconds since the last beat, by the clock of the database. */
  readonly silentForMs: number;
  readonly claims: readonly ClaimProgress[];
}
