import { carrelError } from '../../domain/error/error.js';
import { type BytePath, displayPath } from '../../git/byte-path.js';
import { listTreeChanges } from '../../git/diff/tree-changes.js';
import type { Git, GitPlace } from '../../git/git.js';
import { createCommit, type MergedTrees, mergeTrees } from '../../git/history/merge.js';
import { replayCommits } from '../../git/history/replay.js';
import type { LandStrategy } from '../backend.js';

export interface LandWork {
  /** The workspace's name. */
  readonly name: string;
  readonly into: string;
  /** Tip of the target. */
  readonly before: string;
  /** Tip of the workspace; not an ancestor of `before`. */
  readonly tip: string;
  readonly message: string | undefined;
  /** Whether `tip` is known to be a line of commits, without merges, on top of `before`. */
  readonly isLine?: boolean | undefined;
}

/** The commit that the target will move to. Creates objects only. LAND_CONFLICT, LAND_NOTHING. */
export async function buildLandCommit(
  git: Git,
  place: GitPlace,
  strategy: LandStrategy,
  work: LandWork,
): Promise<string> {
  const isRelated = work.isLine || (await git.succeeds(['merge-base', work.before, work.tip], place));
  if (!isRelated) throw unrelated(work);
  switch (strategy) {
    case 'merge':
      return merge(git, place, work);
    case 'squash':
      return squash(git, place, work);
    case 'rebase':
      return rebase(git, place, work);
  }
}

function unrelated({ name, into }: LandWork) {
  const found = `not related to ${into}`;
  return carrelError('INVALID_INPUT', {
    what: `the history of ${name}`,
    found,
    expected: 'one that shares a commit with it',
  });
}

async function merge(git: Git, place: GitPlace, work: LandWork): Promise<string> {
  const { before, tip, name } = work;
  if (work.isLine || (await isAncestor(git, place, before, tip))) return tip;
  const { tree } = await requireMerge(git, place, work);
  return createCommit(git, place, {
    tree,
    parents: [before, tip],
    message: work.message ?? `Merge workspace ${name}`,
  });
}

async function squash(git: Git, place: GitPlace, work: LandWork): Promise<string> {
  const { tree } = await requireMerge(git, place, work);
  const message = work.message ?? (await gatherMessage(git, place, work));
  return createCommit(git, place, { tree, parents: [work.before], message });
}

/** One commit keeps its message; for several the subjects are listed, oldest first. */
async function gatherMessage(git: Git, place: GitPlace, { name, before, tip }: LandWork): Promise<string> {
  const range = ['--reverse', '--topo-order', '--no-merges', '--end-of-options', `${before}..${tip}`];
  const read = (format: string) =>
    git.text(['rev-list', '--no-commit-header', `--format=${format}`, ...range], {
      ...place,
      config: ['i18n.logOutputEncoding=UTF-8'],
    });
  const subjects = (await read('%s')).split('\n').filter(Boolean);
  if (subjects.length === 1) return (await read('%B')).trimEnd();
  return [`Land workspace ${name}`, '', ...subjects.map(subject => `* ${subject}`)].join('\n').trimEnd();
}

/** The merge of both tips, clean and not empty. */
async function requireMerge(git: Git, place: GitPlace, work: LandWork): Promise<MergedTrees> {
  const merged = await mergeTrees(git, place, work.before, work.tip);
  if (merged.conflicts.length > 0) throw conflict(work, merged.conflicts);
  if (merged.tree === (await git.text(['rev-parse', `${work.before}^{tree}`], place))) throw nothing(work);
  return merged;
}

/**
 * Merge commits are left out, as in `git rebase`. Changes made in them are in none of the replayed commits, so if there is
 * one the result must equal that of a merge; otherwise it is a conflict.
 */
async function rebase(git: Git, place: GitPlace, work: LandWork): Promise<string> {
  const { before, tip } = work;
  if (work.isLine) return tip;
  const hasMerges = (await git.text(['rev-list', '--merges', '-n', '1', `${before}..${tip}`], place)) !== '';
  if (!hasMerges && (await isAncestor(git, place, before, tip))) return tip;
  const list = await git.text(
    ['rev-list', '--reverse', '--topo-order', '--no-merges', `${before}..${tip}`],
    place,
  );
  const replayed = await replayCommits(git, place, before, list.split('\n').filter(Boolean));
  if (replayed.conflicts) throw conflict(work, replayed.conflicts);
  if (hasMerges) await requireSameAsMerge(git, place, work, replayed.tip);
  if (replayed.tip === before) throw nothing(work);
  return replayed.tip;
}

async function requireSameAsMerge(
  git: Git,
  place: GitPlace,
  work: LandWork,
  replayed: string,
): Promise<void> {
  const { tree, conflicts } = await mergeTrees(git, place, work.before, work.tip);
  const different = (await listTreeChanges(git, place, tree, `${replayed}^{tree}`)).map(
    change => change.path,
  );
  if (conflicts.length + different.length > 0)
    throw conflict(work, [...new Set([...conflicts, ...different])]);
}

const isAncestor = (git: Git, place: GitPlace, one: string, other: string): Promise<boolean> =>
  git.succeeds(['merge-base', '--is-ancestor', one, other], place);

const conflict = ({ name, into }: LandWork, files: readonly BytePath[]) =>
  carrelError('LAND_CONFLICT', { name, into, files: files.map(displayPath) });

const nothing = ({ name, into }: LandWork) => carrelError('LAND_NOTHING', { name, into });
