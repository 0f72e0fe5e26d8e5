import type { CommandResult } from '../domain/command/command.js';
import type { FailureKind } from '../domain/task/failure.js';
import type { AgentProblem } from './result-reader.js';

/** How a run of an agent ended, as far as it decides the kind of failure. */
export interface AgentEnding
  extends Pick<CommandResult, 'exitCode' | 'timedOut' | 'cancelled' | 'limit' | 'sandboxDied'>,
    Partial<Pick<CommandResult, 'stdout'>> {
  /** The problem that the agent itself reported. */
  readonly problem?: AgentProblem | undefined;
}

/** Undefined when it succeeded. */
export function classifyEnding(ending: AgentEnding): FailureKind | 'cancelled' | undefined {
  const { exitCode, problem } = ending;
  if (ending.cancelled) return 'cancelled';
  if (ending.sandboxDied) return 'sandbox-failed';
  // An agent that succeeds has recovered from a limit that one of its commands reached. The sandbox's own time limit is a
  // limit as well; another attempt would reach it again.
  if (ending.limit !== undefined && exitCode !== 0) return 'limit';
  if (ending.timedOut) return 'timed-out';
  if (problem) return problem.kind === 'host-failed' ? 'agent-failed' : problem.kind;
  if (exitCode === 0) return undefined;
  return isUnstarted(ending) ? 'program-missing' : 'agent-failed';
}

/** A script with output was started; then the status is that of its last command. */
const isUnstarted = ({ exitCode, stdout }: AgentEnding): boolean =>
  exitCode !== null && NOT_STARTED.has(exitCode) && !stdout?.length;

/** What a shell and the sandbox's launcher exit with for a program that can't be executed (126) or found (127). */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
