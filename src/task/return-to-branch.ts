import type { Git } from '../git/git.js';
import { readRef, resolveCommit, symbolicHead, updateRefs } from '../git/refs.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';

export type Stand =
  | { readonly kind: 'on-branch'; readonly tip: string; readonly warnings: readonly string[] }
  /** HEAD is somewhere that does not contain the branch; nothing was changed. */
  | { readonly kind: 'left'; readonly found: string };

/**
 * Puts HEAD of a worktree back on the workspace's own branch. When it is on another one that goes on from ours, or on
 * none, our branch is moved there first, by compare-and-swap: it is the same commit, so index and files stay as they
 * are. The other branch stays too. `before` stands in for a branch that was deleted or renamed.
 */
export async function returnToBranch(
  git: Git,
  place: WorkTreePlace,
  branch: string,
  before: string | null,
): Promise<Stand> {
  const own = `refs/heads/${branch}`;
  const shared = { gitDir: place.commonDir };
  const worktree = { gitDir: place.gitDir };
  const tip = await readRef(git, shared, own);
  const current = await symbolicHead(git, worktree);
  if (current === branch && tip) return { kind: 'on-branch', tip, warnings: [] };
  const anchor = tip ?? before;
  // HEAD on a branch that was deleted stands at nothing; what was committed there is in its reflog.
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
  if (current === branch) return `${branch} was deleted; it is back at ${at}`;
  const where = current === undefined ? 'a detached HEAD' : `${current}, which stays`;
  return `the agent went from ${branch} to ${where}; ${branch} was brought there (${at})`;
}
