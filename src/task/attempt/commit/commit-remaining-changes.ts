import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Execution } from '../../execution.js';
import type { PartCommits } from '../../record/task-repositories.js';
import { commitMessage } from './commit-message.js';
import { commitParts } from './commit-parts.js';

export interface Remainder {
  /** Null for work outside a stage. */
  readonly stage: string | null;
  /** Null for changes not made by an agent. */
  readonly agent: string | null;
  /** Subject of the commit. */
  readonly what: string;
  /** The branch's commit before. */
  readonly before: string | null;
  /** The same in each of several repositories. */
  readonly parts: PartCommits;
}

export interface CommittedRemainder {
  /** The branch's commit now. */
  readonly commit: string | null;
  readonly commits: PartCommits;
  readonly warnings: readonly string[];
  /** Why it is not on the branch, as text; then a snapshot has it. */
  readonly problem?: string | undefined;
}

/**
 * Commits changes from anything other than a successful attempt to the branch: a failed attempt, checks, an
 * earlier run, the user. The next attempt may start with `git reset --hard`. This happens even when the task's time
 * is up, and never makes anything fail.
 */
export async function commitRemainingChanges(
  { context, task }: Execution,
  record: WorkspaceRecord,
  { stage, agent, what, before, parts }: Remainder,
): Promise<CommittedRemainder> {
  const message = commitMessage({ task: task.current(), stage, agent, words: null, what });
  const committed = await commitParts(context, record, { before, parts, message });
  if (committed.kind === 'committed') return committed;
  const { failure } = committed;
  const warnings = [`${failure.message} (${failure.hint})`];
  return { commit: before, commits: parts, warnings, problem: failure.message };
}
