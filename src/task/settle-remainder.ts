import type { WorkspaceRecord } from '../domain/workspace.js';
import { commitMessage } from './commit-message.js';
import type { Execution } from './execution.js';
import { settleWork } from './settle-work.js';

export interface Remainder {
  /** Null for what is no stage's. */
  readonly stage: string | null;
  /** Null for what no agent did. */
  readonly agent: string | null;
  /** For the commit: what it is. */
  readonly what: string;
  /** Where the branch was before. */
  readonly before: string | null;
}

export interface SettledRemainder {
  /** Where the branch is now. */
  readonly commit: string | null;
  readonly warnings: readonly string[];
  /** Why it is not on the branch, in words; it is held by a snapshot then. */
  readonly problem?: string | undefined;
}

/**
 * Brings to the branch what is left by something other than an attempt that succeeded: an attempt that failed, checks, an
 * earlier run, a person. Whoever comes next may begin with `git reset --hard`. It is done also when the time of the task
 * is over, and never makes anything fail.
 */
export async function settleRemainder(
  { context, task }: Execution,
  record: WorkspaceRecord,
  { stage, agent, what, before }: Remainder,
): Promise<SettledRemainder> {
  const message = commitMessage({ task: task.current(), stage, agent, words: null, what });
  const settled = await settleWork(context, record, { before, message });
  if (settled.kind === 'settled') return settled;
  const { failure } = settled;
  return { commit: before, warnings: [`${failure.message} (${failure.hint})`], problem: failure.message };
}
