import type { WorkspaceRecord } from '../../domain/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { listRefs } from '../../git/refs.js';
import { writeWorkTreeDiff } from '../../git/work-tree-diff.js';
import type { Diffing } from '../backend.js';
import { requireCommonDir, worktreeGitDir } from './place.js';

export function createGitDiffing(git: Git, temporaryRoot: string): Diffing {
  return {
    diff: async (record, format, write) => {
      const against = await findMergeBase(git, record);
      const { skipped } = await writeWorkTreeDiff(
        git,
        worktreeGitDir(record),
        { against, format, temporaryRoot },
        write,
      );
      return { skipped: skipped.map(displayPath) };
    },
  };
}

/**
 * Where the workspace left its base: the base branch as it is now, so that what was merged or rebased in from there does
 * not count as the workspace's own; the commit it was made from when that branch is gone or has nothing in common.
 */
async function findMergeBase(git: Git, record: WorkspaceRecord): Promise<string> {
  const place = { gitDir: worktreeGitDir(record).gitDir };
  const made = record.base.commit as string;
  const current = await findBaseBranch(git, record);
  for (const base of current ? [current, made] : [made]) {
    const result = await git.run(['merge-base', '--end-of-options', 'HEAD', base], {
      ...place,
      answers: [0, 1, 128],
    });
    const [commit] = result.stdout.toString('latin1').trim().split('\n');
    if (result.exitCode === 0 && commit) return commit;
  }
  return made;
}

/** Only what is a branch moves on; `HEAD`, a tag or an id stands for the commit that it was at creation. */
async function findBaseBranch(git: Git, record: WorkspaceRecord): Promise<string | undefined> {
  if (!record.base.ref) return undefined;
  const names = [`refs/heads/${record.base.ref}`, `refs/remotes/${record.base.ref}`];
  const refs = await listRefs(git, { gitDir: requireCommonDir(record) }, names);
  return refs.find(({ ref }) => names.includes(ref))?.commit;
}
