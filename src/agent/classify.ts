import type { FailureKind } from '../domain/failure.js';
import type { AgentProblem } from './result-reader.js';

/** How a run of an agent ended, as far as the kind of its failure depends on it. */
export interface AgentEnding {
  /** Null when it was ended by a signal. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** A limit of the sandbox that ended it or that it ran into. */
  readonly limit?: string | undefined;
  readonly sandboxDied?: boolean | undefined;
  /** What it printed, as far as that was kept. */
  readonly stdout?: Buffer | undefined;
  /** What the agent itself told. */
  readonly problem?: AgentProblem | undefined;
}

/** Undefined when it went well. */
export function classifyEnding(ending: AgentEnding): FailureKind | 'cancelled' | undefined {
  const { exitCode, problem } = ending;
  if (ending.cancelled) return 'cancelled';
  if (ending.sandboxDied) return 'sandbox-failed';
  // An agent that ends well has coped with a limit that one of its commands ran into. The sandbox's own limit of time
  // is a limit as well; doing the same once more would run into it again.
  if (ending.limit !== undefined && exitCode !== 0) return 'limit';
  if (ending.timedOut) return 'timed-out';
  if (problem) return problem.kind;
  if (exitCode === 0) return undefined;
  return isUnstarted(ending) ? 'program-missing' : 'agent-failed';
}

/** A script that has printed something was started; then the status is that of its last command. */
const isUnstarted = ({ exitCode, stdout }: AgentEnding): boolean =>
  exitCode !== null && NOT_STARTED.has(exitCode) && !stdout?.length;

/** What a shell and the sandbox's launcher exit with for a program that can't be executed (126) or found (127). */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
