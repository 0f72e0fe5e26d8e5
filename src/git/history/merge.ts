import type { BytePath } from '../byte-path.js';
import type { Git, GitPlace } from '../git.js';
import { splitRecords } from '../git.js';
import { findIdentityVariables } from './commit-identity.js';

export interface MergedTrees {
  /** The merged tree; with conflicts it holds the files with their markers. */
  readonly tree: string;
  /** Files that need a decision; none when the merge is clean. */
  readonly conflicts: readonly BytePath[];
}

/**
 * Merges two commits in the object database only: no checkout, index or ref is touched. With `base` that commit is the
 * common ancestor instead of the one from history, which makes it a cherry-pick; then all three may be trees.
 */
export async function mergeTrees(
  git: Git,
  place: GitPlace,
  ours: string,
  theirs: string,
  base?: string,
): Promise<MergedTrees> {
  const [left, right] =
    base === undefined ? [ours, theirs] : await giveCommonParent(git, place, [ours, theirs], base);
  const command = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', '--end-of-options'];
  const result = await git.run([...command, left, right], { ...place, answers: [0, 1] });
  const [tree = '', ...conflicts] = splitRecords(result.stdout);
  return { tree, conflicts };
}

/**
 * `merge-tree --merge-base` needs git 2.40. Two temporary commits with `base` as their only parent have exactly that merge
 * base, with any git.
 */
async function giveCommonParent(
  git: Git,
  place: GitPlace,
  sides: readonly [string, string],
  base: string,
): Promise<[string, string]> {
  const graft = (name: string, parents: readonly string[]) =>
    commitTree(git, place, { tree: `${name}^{tree}`, parents, message: 'side' }, SCRATCH_IDENTITY);
  const parent = await graft(base, []);
  return [await graft(sides[0], [parent]), await graft(sides[1], [parent])];
}

/** Fixed, dates included: repeating the same merge creates no new objects. */
const SCRATCH_IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap(role => [
    [`GIT_${role}_NAME`, 'Carrel'],
    [`GIT_${role}_EMAIL`, 'carrel@localhost'],
    [`GIT_${role}_DATE`, '1700000000 +0000'],
  ]),
);

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** A commit by the user (see commit-identity.ts), unsigned; no ref points at it yet. */
export async function createCommit(git: Git, place: GitPlace, commit: NewCommit): Promise<string> {
  return commitTree(git, place, commit, await findIdentityVariables(git, place));
}

/** A commit for git's internal use only; equal content gives the same commit. */
export async function createScratchCommit(git: Git, place: GitPlace, commit: NewCommit): Promise<string> {
  return commitTree(git, place, commit, SCRATCH_IDENTITY);
}

async function commitTree(
  git: Git,
  place: GitPlace,
  { tree, parents, message }: NewCommit,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const command = ['commit-tree', ...parents.flatMap(parent => ['-p', parent]), '-F', '-', tree];
  const stdin = message.endsWith('\n') ? message : `${message}\n`;
  // Our messages are UTF-8; a configured i18n.commitEncoding would label them as something else.
  return git.text(command, { ...place, env, stdin, config: ['i18n.commitEncoding=UTF-8'] });
}
