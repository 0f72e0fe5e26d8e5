import { carrelError } from '../../domain/error/error.js';
import { requireFreeBranch, requireNotCheckedOut } from '../../git/refs/free-branch.js';
import { readRef, resolveCommit, symbolicHead } from '../../git/refs/refs.js';
import { requireGitVersion } from '../../git/repository/git-version.js';
import { listBookmarksAt, readBookmark } from '../../jj/bookmarks.js';
import { isColocated } from '../../jj/repository.js';
import { knowsCommit, resolveRevision } from '../../jj/revisions.js';
import type { Repository, ResolvedRequest, ResolveRequest } from '../backend.js';
import { type JjBackendOptions, listOwnBookmarks } from './jj-place.js';

/** Everything that can be checked before anything is written. */
export async function resolveRequest(
  options: JjBackendOptions,
  repository: Repository,
  request: ResolveRequest,
): Promise<ResolvedRequest> {
  const { git, jj } = options;
  const { root, commonDir } = requireGitStore(repository);
  if (repository.linkedWorktree) {
    throw carrelError('INSIDE_WORKTREE', { path: repository.linkedWorktree, repository: root });
  }
  await requireGitVersion(git, commonDir);
  const commit = await resolveBase(options, root, commonDir, request.base);
  if (/^0+$/.test(commit)) throw carrelError('EMPTY_REPOSITORY', { path: root });
  if (!(await knowsCommit(jj, root, commit))) throw carrelError('JJ_BEHIND', { commit, repository: root });
  const branch = request.branch ?? null;
  const ref = request.base ?? (await findBaseName(options, root, commonDir, commit));
  if (branch === null) return { base: { ref, commit }, branch };
  const tips = await readBookmark(jj, root, branch);
  if (request.mayExist && tips.length === 1) {
    await requireNotCheckedOut(git, commonDir, branch);
    return { base: { ref, commit: tips[0] as string }, branch, isOpened: true };
  }
  await requireFreeBranch(git, commonDir, branch);
  if (tips.length > 0) throw carrelError('BRANCH_EXISTS', { branch });
  return { base: { ref, commit }, branch };
}

function requireGitStore(repository: Repository): { root: string; commonDir: string } {
  const { root, commonDir } = repository;
  if (commonDir === null) throw carrelError('NOT_A_REPOSITORY', { path: root });
  return { root, commonDir };
}

/**
 * The default base is the parent of the user's working-copy commit: where they are, without unfinished edits, as HEAD is
 * for git. In a colocated repository git's HEAD and branches take precedence: jj keeps them up to date, and they include
 * what was done with git since jj last ran.
 */
async function resolveBase(
  { git, jj }: JjBackendOptions,
  root: string,
  commonDir: string,
  asked: string | undefined,
): Promise<string> {
  const place = { gitDir: commonDir };
  const gitName = asked === undefined ? 'HEAD' : `refs/heads/${asked}`;
  const fromGit = isColocated({ root, commonDir }) ? await resolveCommit(git, place, gitName) : undefined;
  const found =
    fromGit ??
    (await resolveRevision(jj, root, asked ?? '@-')) ??
    (asked === undefined ? undefined : await resolveCommit(git, place, asked));
  if (found) return found;
  throw carrelError('UNKNOWN_BASE', { ref: asked ?? '@-', repository: root });
}

/** The bookmark at that commit, if exactly one: the landing target. */
async function findBaseName(
  { git, jj }: JjBackendOptions,
  root: string,
  commonDir: string,
  commit: string,
): Promise<string | null> {
  const place = { gitDir: commonDir };
  const checkedOut = isColocated({ root, commonDir }) ? await symbolicHead(git, place) : undefined;
  if (checkedOut && (await readRef(git, place, `refs/heads/${checkedOut}`)) === commit) return checkedOut;
  const own = await listOwnBookmarks(git, commonDir);
  const names = (await listBookmarksAt(jj, root, commit)).filter(name => !own.has(name));
  return names.length === 1 ? (names[0] as string) : null;
}
