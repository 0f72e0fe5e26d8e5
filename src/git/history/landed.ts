import type { Git, GitPlace } from '../git.js';
import { withScratchPlace } from '../objects/scratch-place.js';
import { isPlainTip } from '../refs/plain-refs.js';
import { readRef, symbolicHead } from '../refs/refs.js';
import { createScratchCommit, mergeTrees } from './merge.js';

export interface LandedQuestion {
  /** The commit whose history may be deleted. */
  readonly tip: string;
  /** The commit that the work started from. */
  readonly base: string;
  /** Full names of refs that are about to be deleted and so hold nothing. Only branches, remote branches and tags count. */
  readonly ownRefs: readonly string[];
  /** Branches, by short or full name, on which a rebased or squashed copy may be. */
  readonly candidates: readonly string[];
  readonly temporaryRoot: string;
}

export interface LandedAnswer {
  readonly landed: boolean;
  readonly how: 'nothing-new' | 'contained' | 'rebased' | 'squashed' | 'not';
  /** Commits that no other ref holds, newest first; given only when not landed. */
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
}

/**
 * Whether a history can be deleted without losing work. In doubt the answer is no: the base of `nothing-new` must still be
 * held by another ref (a workspace created from a workspace whose branch is gone is the only holder of both).
 */
export async function findUnlanded(
  git: Git,
  place: GitPlace & { readonly gitDir: string },
  question: LandedQuestion,
): Promise<LandedAnswer> {
  const { tip, base } = question;
  const unheld = isPlainTip(place.gitDir, tip, question.ownRefs)
    ? []
    : await listUnheldCommits(git, place, question);
  const commits = unheld.map(({ id, subject }) => ({ id, subject }));
  if (commits.length === 0) {
    const isOld = tip === base || (await git.succeeds(['merge-base', '--is-ancestor', tip, base], place));
    return { landed: true, how: isOld ? 'nothing-new' : 'contained', commits: [] };
  }
  const how = await withScratchPlace(git, place, question.temporaryRoot, scratch =>
    findCopy(git, scratch, question, findStart(unheld)),
  );
  return how ? { landed: true, how, commits: [] } : { landed: false, how: 'not', commits };
}

interface UnheldCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly subject: string;
}

async function listUnheldCommits(
  git: Git,
  place: GitPlace,
  { tip, base, ownRefs }: LandedQuestion,
): Promise<UnheldCommit[]> {
  // An exclusion applies to the next --glob only.
  const excluded = ownRefs.map(ref => `--exclude=${ref}`);
  const holders = ['refs/heads', 'refs/remotes', 'refs/tags'].flatMap(glob => [
    ...excluded,
    `--glob=${glob}`,
  ]);
  const format = ['--no-commit-header', '--format=%H%x00%P%x00%s'];
  const below = await listDetachedBase(git, place, base);
  const query = ['rev-list', ...format, '--not', ...holders, ...below, '--not', '--end-of-options', tip];
  const text = await git.text(query, { ...place, config: ['i18n.logOutputEncoding=UTF-8'] });
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [id = '', parents = '', ...subject] = line.split('\0');
      return { id, parents: parents.split(' ').filter(Boolean), subject: subject.join('\0') };
    });
}

/** The commit below a line of commits without merges; undefined when there is more than one line. */
function findStart(commits: readonly UnheldCommit[]): string | undefined {
  const isLine = commits.every(
    ({ parents: [parent, ...more] }, at) =>
      parent !== undefined && more.length === 0 && parent === (commits[at + 1]?.id ?? parent),
  );
  return isLine ? commits.at(-1)?.parents[0] : undefined;
}

/**
 * A workspace created from a detached HEAD, as on most CI machines, has a base that no branch holds, only the user's HEAD.
 * Only the base counts: checking out the workspace's commits does not land them.
 */
async function listDetachedBase(git: Git, place: GitPlace, base: string): Promise<string[]> {
  if ((await symbolicHead(git, place)) !== undefined) return [];
  const result = await git.run(['merge-base', '--end-of-options', 'HEAD', base], {
    ...place,
    answers: [0, 1, 128],
  });
  return result.stdout.toString('latin1').split('\n').filter(Boolean);
}

async function findCopy(
  git: Git,
  scratch: GitPlace,
  question: LandedQuestion,
  start: string | undefined,
): Promise<'rebased' | 'squashed' | undefined> {
  for (const name of question.candidates) {
    const candidate = await findCandidate(git, scratch, name, question.ownRefs);
    // The work is a line of commits on top of it, so it has no copy of them.
    if (candidate === start) continue;
    const how = candidate && (await findCopyOn(git, scratch, candidate, question.tip));
    if (how) return how;
  }
  return undefined;
}

/** Only refs that are not about to be deleted can hold a copy. */
async function findCandidate(git: Git, place: GitPlace, name: string, ownRefs: readonly string[]) {
  const names = name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/remotes/${name}`];
  for (const ref of names.filter(candidate => !ownRefs.includes(candidate))) {
    const commit = await readRef(git, place, ref);
    if (commit) return commit;
  }
  return undefined;
}

/**
 * The test is what merging the history into the branch would do:
 * - nothing: all of it is there.
 * - a clean merge that changes the branch: something is missing, or was reverted.
 * - a conflict: the branch changed the same lines later, so the patches themselves are searched on it.
 */
async function findCopyOn(git: Git, place: GitPlace, candidate: string, tip: string) {
  const end = await skipPlainMerges(git, place, candidate, tip);
  const start = await findMergeBase(git, place, candidate, end);
  // A history with no net change (a change and its revert) would merge as "nothing" without having landed.
  if (!start || (await haveSameTree(git, place, start, end))) return undefined;
  const merged = await mergeTrees(git, place, candidate, end);
  if (merged.conflicts.length === 0) {
    if (merged.tree !== (await git.text(['rev-parse', `${candidate}^{tree}`], place))) return undefined;
    return (await isEveryPatchOn(git, place, candidate, end)) ? 'rebased' : 'squashed';
  }
  if (await isEveryPatchOn(git, place, candidate, end)) return 'rebased';
  return (await isWholePatchOn(git, place, candidate, start, end)) ? 'squashed' : undefined;
}

/**
 * When the branch was merged into the work after the work was squashed onto it, the merge hides the copy. A merge that git
 * would make the same way has no changes in itself, so the parent with the work is checked instead.
 */
async function skipPlainMerges(git: Git, place: GitPlace, candidate: string, tip: string): Promise<string> {
  const [, own, other, ...more] = (await git.text(['rev-list', '--parents', '-n', '1', tip], place)).split(
    ' ',
  );
  if (!own || !other || more.length > 0) return tip;
  if (!(await git.succeeds(['merge-base', '--is-ancestor', other, candidate], place))) return tip;
  const again = await mergeTrees(git, place, own, other);
  const isPlain = again.conflicts.length === 0 && (await haveSameTree(git, place, again.tree, tip));
  return isPlain ? skipPlainMerges(git, place, candidate, own) : tip;
}

async function findMergeBase(
  git: Git,
  place: GitPlace,
  one: string,
  other: string,
): Promise<string | undefined> {
  const result = await git.run(['merge-base', one, other], { ...place, answers: [0, 1] });
  return result.stdout.toString('latin1').split('\n')[0] || undefined;
}

async function haveSameTree(git: Git, place: GitPlace, one: string, other: string): Promise<boolean> {
  const trees = (await git.text(['rev-parse', `${one}^{tree}`, `${other}^{tree}`], place)).split('\n');
  return trees[0] === trees[1];
}

/** `git cherry` skips merge commits, and changes made in them are in no patch: with one, the answer is no. */
async function isEveryPatchOn(git: Git, place: GitPlace, candidate: string, tip: string): Promise<boolean> {
  const merges = await git.text(['rev-list', '--merges', '-n', '1', `${candidate}..${tip}`], place);
  if (merges !== '') return false;
  for (const id of await listMissingPatches(git, place, candidate, tip)) {
    if (!(await isEmptyCommit(git, place, id))) return false;
  }
  return true;
}

async function listMissingPatches(
  git: Git,
  place: GitPlace,
  candidate: string,
  tip: string,
): Promise<string[]> {
  const lines = (await git.text(['cherry', candidate, tip], place)).split('\n');
  return lines.filter(line => line.startsWith('+ ')).map(line => line.slice(2));
}

async function isEmptyCommit(git: Git, place: GitPlace, id: string): Promise<boolean> {
  const [, parent] = (await git.text(['rev-list', '--parents', '-n', '1', id], place)).split(' ');
  return parent !== undefined && haveSameTree(git, place, parent, id);
}

/** The whole change as one commit, then searched like any other. */
async function isWholePatchOn(git: Git, place: GitPlace, candidate: string, start: string, end: string) {
  const squashed = await createScratchCommit(git, place, {
    tree: `${end}^{tree}`,
    parents: [start],
    message: 'all',
  });
  return (await listMissingPatches(git, place, candidate, squashed)).length === 0;
}
