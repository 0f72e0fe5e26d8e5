import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { takeCommitsBack } from '../operations/take-commits-back.js';
import { readTip } from './branch-tip.js';

export interface Drift {
  /** Where the branch is now, when it has moved. */
  readonly moved: string | undefined;
  /** Whether something else is checked out. */
  readonly isElsewhere: boolean;
  /** Files that git knows and that differ from the commit. */
  readonly changedFiles: number;
}

/** What looking at a commit in its workspace has changed there: what goes on from here is the branch, not the files. */
export async function findDrift(context: Context, record: WorkspaceRecord, commit: string): Promise<Drift> {
  const backend = context.backends[record.backend];
  if (!backend.landing) return { moved: undefined, isElsewhere: false, changedFiles: 0 };
  await takeCommitsBack(context, record);
  const tip = await readTip(context, record);
  const [look] = await backend.inspect([record], { size: false });
  const { staged = 0, unstaged = 0, conflicted = 0 } = look?.changes ?? {};
  return {
    moved: tip === commit ? undefined : tip,
    isElsewhere: look?.head !== commit,
    changedFiles: staged + unstaged + conflicted,
  };
}
