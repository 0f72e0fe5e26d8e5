import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import { writeWorkTreeDiff } from '../../git/diff/work-tree-diff.js';
import type { Git } from '../../git/git.js';
import { findPlainMergeBase } from '../../git/history/plain-merge-base.js';
import { confirmOwnIndex } from '../../git/index/confirmed-index.js';
import { listRefs, readRef } from '../../git/refs/refs.js';
import type { Diffing } from '../backend.js';
import { withInspectionLimit } from '../work/inspection-limit.js';
import { requireCommonDir, worktreeGitDir } from './worktree-place.js';

export function createGitDiffing(git: Git, temporaryRoot: string): Diffing {
  return {
    diff: async (record, format, write, below) => {
      const against = await findMergeBase(git, record);
      if (!record.sandbox) await confirmOwnIndex(worktreeGitDir(record));
      const { skipped, changed } = await withInspectionLimit(worktreeGitDir(record), place =>
        writeWorkTreeDiff(git, place, { against, format, below, temporaryRoot }, write),
      );
      return { skipped: skipped.map(displayPath), changed: changed.map(displayPath) };
    },
  };
}

/**
 * Where the workspace left its base: the base branch's current tip, so that what was merged or rebased in from there does
 * not count as the workspace's own; the commit it was created from when that branch is gone or has nothing in common.
 */
export async function findMergeBase(git: Git, record: WorkspaceRecord): Promise<string> {
  const place = { gitDir: worktreeGitDir(record).gitDir };
  const made = record.base.commit as string;
  const current = await findBaseBranch(git, record);
  for (const base of current ? [current, made] : [made]) {
    const plain = findPlainMergeBase(place.gitDir, base);
    if (plain !== undefined) return plain;
    const result = await git.run(['merge-base', '--end-of-options', 'HEAD', base], {
      ...place,
      answers: [0, 1, 128],
    });
    const [commit] = result.stdout.toString('latin1').trim().split('\n');
    if (result.exitCode === 0 && commit) return commit;
  }
  return made;
}

/** Only a branch moves; `HEAD`, a tag or an id means the commit that it was at creation. */
async function findBaseBranch(git: Git, record: WorkspaceRecord): Promise<string | undefined> {
  if (!record.base.ref) return undefined;
  const place = { gitDir: requireCommonDir(record) };
  const branch = await readRef(git, place, `refs/heads/${record.base.ref}`);
  if (branch !== undefined) return branch;
  const name = `refs/remotes/${record.base.ref}`;
  return (await listRefs(git, place, [name])).find(({ ref }) => ref === name)?.commit;
}
