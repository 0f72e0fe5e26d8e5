import type { Usage } from '../domain/agent/usage.js';

/** Reads the output of a running agent and reports its results. Uses little memory, however long the output is. */
export interface ResultReader {
  /** One line of standard output, without its end. */
  readLine(line: string): void;
  /** One line of standard error. */
  readErrorLine(line: string): void;
  /** The exit status, set before `problem` is called; for programs whose exit status has a meaning. */
  readExit?(exitCode: number): void;
  /** The usage so far. */
  usage(): Usage;
  /** What it is doing, for a live view; undefined when the last line of output says it best. */
  activity(): string | undefined;
  /** Its last message, once it has ended; undefined when it had none. */
  message(): string | undefined;
  /** The failure, as far as it is machine-readable. */
  problem(): AgentProblem | undefined;
  /** Why it waits for the model's host, until that is resolved. */
  waitsFor?(): AgentProblem | undefined;
}

export interface AgentProblem {
  /** `host-failed`: the model's host did not respond, or responded with a server error. */
  readonly kind: 'key-missing' | 'rate-limited' | 'host-failed' | 'agent-failed' | 'limit';
  readonly text: string;
  /** When the model's host says how long to wait. */
  readonly retryAfterMs?: number | undefined;
}
