import { carrelError } from '../../domain/error/error.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { listRefs, readRef, symbolicHead } from '../../git/refs/refs.js';
import { listWorktrees } from '../../git/repository/locate-git-repository.js';
import { readBookmark } from '../../jj/bookmarks.js';
import { isColocated } from '../../jj/repository.js';
import { type JjBackendOptions, repositoryOf, requireCommonDir } from './jj-place.js';

/** The bookmark to land on, and where it is. */
export interface LandTarget {
  readonly bookmark: string;
  readonly ref: string;
  readonly tip: string;
}

const HEADS = 'refs/heads/';

/** The requested bookmark, else the one that the workspace was created from. Git's branches match jj's bookmarks. */
export async function findLandTarget(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  into: string | undefined,
): Promise<LandTarget> {
  const { git, jj } = options;
  const bookmark = (into ?? (await findDefault(options, record))).replace(/^refs\/heads\//, '');
  if (bookmark === record.branch) throw wrongTarget(bookmark, "the workspace's own", 'another one');
  const ref = `${HEADS}${bookmark}`;
  const tip = await readRef(git, { gitDir: requireCommonDir(record) }, ref);
  if (!tip) throw await unknownBookmark(options, record, bookmark);
  if ((await readBookmark(jj, record.repository, bookmark)).length > 1)
    throw wrongTarget(bookmark, 'in conflict', 'one without a conflict; resolve it with: jj bookmark set');
  await requireNotCheckedOut(options, record, { bookmark, ref, tip });
  return { bookmark, ref, tip };
}

async function findDefault({ git }: JjBackendOptions, record: WorkspaceRecord): Promise<string> {
  const place = { gitDir: requireCommonDir(record) };
  const { ref } = record.base;
  if (ref !== null && (await readRef(git, place, `${HEADS}${ref}`))) return ref;
  const current = isColocated(repositoryOf(record)) ? await symbolicHead(git, place) : undefined;
  if (current !== undefined) return current;
  throw carrelError('INVALID_INPUT', {
    what: 'the bookmark to land on',
    found: 'unknown, because the workspace was created from a commit without a bookmark',
    expected: 'a bookmark named with --into BOOKMARK',
  });
}

async function unknownBookmark({ git }: JjBackendOptions, record: WorkspaceRecord, branch: string) {
  const known = await listRefs(git, { gitDir: requireCommonDir(record) }, [HEADS]);
  const names = known.map(({ ref }) => ref.slice(HEADS.length)).filter(name => name !== record.branch);
  return carrelError('UNKNOWN_BRANCH', {
    branch,
    repository: record.repository,
    nearest: nearest(branch, names),
  });
}

const wrongTarget = (bookmark: string, found: string, expected: string) =>
  carrelError('INVALID_INPUT', { what: `the bookmark to land on, ${bookmark}`, found, expected });

/** A plain git worktree that has it checked out would be left behind, because jj does not know it. */
async function requireNotCheckedOut(
  { git }: JjBackendOptions,
  record: WorkspaceRecord,
  { bookmark, ref }: LandTarget,
): Promise<void> {
  const [, ...linked] = await listWorktrees(git, requireCommonDir(record));
  const holder = linked.find(worktree => worktree.branch === ref);
  if (holder)
    throw wrongTarget(bookmark, `checked out at ${holder.path}`, 'one that no git worktree has checked out');
}
