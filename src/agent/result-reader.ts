import type { Usage } from '../domain/usage.js';

/** Reads what an agent prints while it prints it, and tells what came of it. Holds little, however much is printed. */
export interface ResultReader {
  /** One line of standard output, without its end. */
  readLine(line: string): void;
  /** One line of standard error. */
  readErrorLine(line: string): void;
  /** Its exit status, before the problem is asked for; of those programs that tell something by it. */
  readExit?(exitCode: number): void;
  /** What was used so far. */
  usage(): Usage;
  /** What it is doing, for a live view; undefined when the last line of output says it best. */
  activity(): string | undefined;
  /** Its last words, once it has ended; undefined when it had none. */
  message(): string | undefined;
  /** What went wrong, as far as it told in a way that programs can read. */
  problem(): AgentProblem | undefined;
}

export interface AgentProblem {
  readonly kind: 'key-missing' | 'rate-limited' | 'agent-failed' | 'limit';
  readonly text: string;
  /** When the model's host says how long to wait. */
  readonly retryAfterMs?: number | undefined;
}
