import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Context } from '../../../operations/context.js';
import { importCommits } from '../../../operations/sandbox/import-commits.js';
import { requireInspected } from '../../../workspace/location/presence.js';
import { readTip } from './branch-tip.js';

export interface Drift {
  /** The branch's new commit, when it has moved. */
  readonly moved: string | undefined;
  /** Whether something else is checked out. */
  readonly isElsewhere: boolean;
  /** Tracked files that differ from the commit. */
  readonly changedFiles: number;
}

/** What validating a commit changed in its workspace: later steps use the branch, not the files. */
export async function findDrift(
  context: Pick<Context, 'backends' | 'git' | 'sandboxes' | 'narrate'>,
  record: WorkspaceRecord,
  commit: string,
): Promise<Drift> {
  const backend = context.backends.of(record.backend);
  if (!backend.landing) return { moved: undefined, isElsewhere: false, changedFiles: 0 };
  await importCommits(context, record);
  const tip = await readTip(context, record);
  const [inspection] = await backend.inspect([record], { size: false });
  const { changes, head } = requireInspected(inspection);
  const { staged = 0, unstaged = 0, conflicted = 0 } = changes ?? {};
  return {
    moved: tip === commit ? undefined : tip,
    isElsewhere: head !== commit,
    changedFiles: staged + unstaged + conflicted,
  };
}
