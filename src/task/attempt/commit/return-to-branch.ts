import type { Git } from '../../../git/git.js';
import { readRef, resolveCommit, symbolicHead, updateRefs } from '../../../git/refs/refs.js';
import type { WorkTreePlace } from '../../../git/work-tree-place.js';

export type BranchPosition =
  | { readonly kind: 'on-branch'; readonly tip: string; readonly warnings: readonly string[] }
  /** HEAD does not contain the branch; nothing was changed. */
  | { readonly kind: 'left'; readonly found: string };

/**
 * Resets HEAD of a worktree to the workspace's own branch. When HEAD is on another branch that continues ours, or
 * detached, our branch is moved there first, by compare-and-swap: it is the same commit, so index and files stay
 * unchanged. The other branch stays too. `before` is used when the branch was deleted or renamed.
 */
export async function returnToBranch(
  git: Git,
  place: WorkTreePlace,
  branch: string,
  before: string | null,
): Promise<BranchPosition> {
  const own = `refs/heads/${branch}`;
  const shared = { gitDir: place.commonDir };
  const worktree = { gitDir: place.gitDir };
  const tip = await readRef(git, shared, own);
  const current = await symbolicHead(git, worktree);
  if (current === branch && tip) return { kind: 'on-branch', tip, warnings: [] };
  const anchor = tip ?? before;
  // HEAD on a deleted branch has no commit; the commits are in its reflog.
  const head = current === branch ? before : await resolveCommit(git, worktree, 'HEAD');
  const found = current ?? 'a detached HEAD';
  if (!head || (anchor !== null && !(await isAncestor(git, shared, anchor, head))))
    return { kind: 'left', found };
  const note = `carrel: back from ${found}`;
  if (tip !== head) await updateRefs(git, shared, [{ ref: own, from: tip ?? null, to: head }], note);
  if (current !== branch) await git.run(['symbolic-ref', '-m', note, 'HEAD', own], worktree);
  return { kind: 'on-branch', tip: head, warnings: [describe(branch, current, head)] };
}

const isAncestor = (git: Git, place: { readonly gitDir: string }, one: string, other: string) =>
  git.succeeds(['merge-base', '--is-ancestor', one, other], place);

function describe(branch: string, current: string | undefined, head: string): string {
  const at = head.slice(0, 10);
  if (current === branch) return `${branch} was deleted; it was restored at ${at}`;
  const where = current === undefined ? 'a detached HEAD' : `${current}, which stays`;
  return `the agent switched from ${branch} to ${where}; ${branch} was moved there (${at})`;
}
