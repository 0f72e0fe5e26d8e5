import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { allInOrder } from '../../domain/all-in-order.js';
import { carrelError } from '../../domain/error/error.js';
import type { Git } from '../../git/git.js';
import { patternsAround, requireFreeAmong, requireNotCheckedOut } from '../../git/refs/free-branch.js';
import { isPlainlyFree, readPlainHead, readPlainRef } from '../../git/refs/plain-refs.js';
import { listRefs, type Ref, resolveCommit, symbolicHead } from '../../git/refs/refs.js';
import { requireGitVersion } from '../../git/repository/git-version.js';
import type { Repository, ResolvedRequest, ResolveRequest } from '../backend.js';

/** Everything that can be checked before anything is written. */
export async function resolveRequest(
  git: Git,
  repository: Repository,
  request: ResolveRequest,
): Promise<ResolvedRequest> {
  const commonDir = repository.commonDir as string;
  if (repository.linkedWorktree) {
    throw carrelError('INSIDE_WORKTREE', { path: repository.linkedWorktree, repository: repository.root });
  }
  const branch = request.branch ?? null;
  await requireFileRefs(repository.root, commonDir);
  const [, { refs, ...base }] = await allInOrder([
    requireGitVersion(git, commonDir),
    resolveBaseAndBranch(git, commonDir, request.base, branch),
  ]);
  if (base.commit === undefined)
    throw await explainNoBase(git, repository.root, commonDir, request.base, base.ref);
  if (branch === null) return { base: { ref: base.ref, commit: base.commit }, branch };
  const existing = request.mayExist && refs.find(({ ref }) => ref === `refs/heads/${branch}`);
  if (existing) {
    await requireNotCheckedOut(git, commonDir, branch);
    return { base: { ref: base.ref, commit: existing.commit }, branch, isOpened: true };
  }
  await requireFreeAmong(refs, git, commonDir, branch);
  return { base: { ref: base.ref, commit: base.commit }, branch };
}

/** A worktree's HEAD is a file only with this format; with `reftable` our registration would not work. */
async function requireFileRefs(root: string, commonDir: string): Promise<void> {
  const info = await lstat(join(commonDir, 'reftable')).catch(() => undefined);
  if (info?.isDirectory())
    throw carrelError('UNSUPPORTED_REPOSITORY', { path: root, feature: 'the reftable ref format' });
}

interface Found {
  /** What the base is called; null for a detached HEAD. */
  readonly ref: string | null;
  readonly commit: string | undefined;
  /** Refs that may conflict with the branch. */
  readonly refs: readonly Ref[];
}

/** The base, and whether the branch is free, with as few processes as possible. INVALID_BRANCH. */
async function resolveBaseAndBranch(
  git: Git,
  commonDir: string,
  asked: string | undefined,
  branch: string | null,
): Promise<Found> {
  const place = { gitDir: commonDir };
  const patterns = branch === null ? [] : patternsAround(branch);
  const head = asked === undefined ? readPlainHead(commonDir)?.ref?.slice('refs/heads/'.length) : undefined;
  if (head !== undefined) {
    const plain = findInFiles(commonDir, head, branch);
    if (plain) return { ref: head, commit: plain, refs: [] };
    const refs = await listRefs(git, place, [`refs/heads/${head}`, ...patterns]);
    const commit = refs.find(({ ref }) => ref === `refs/heads/${head}`)?.commit;
    return { ref: head, commit, refs };
  }
  const [refs, commit, name] = await Promise.all([
    patterns.length === 0 ? [] : listRefs(git, place, patterns),
    resolveCommit(git, place, asked ?? 'HEAD'),
    asked ?? symbolicHead(git, place),
  ]);
  return { ref: name ?? null, commit, refs };
}

/** The commit of HEAD's branch, when the files show it and that the other branch is free. */
function findInFiles(commonDir: string, head: string, branch: string | null): string | undefined {
  const isFree = branch === null || isPlainlyFree(commonDir, `refs/heads/${branch}`);
  return isFree ? (readPlainRef(commonDir, `refs/heads/${head}`) ?? undefined) : undefined;
}

async function explainNoBase(
  git: Git,
  root: string,
  commonDir: string,
  asked: string | undefined,
  branch: string | null,
) {
  const anyCommit = (await listRefs(git, { gitDir: commonDir }, [])).length > 0;
  if (!anyCommit) return carrelError('EMPTY_REPOSITORY', { path: root });
  return asked === undefined && branch !== null
    ? carrelError('UNBORN_BRANCH', { branch, repository: root })
    : carrelError('UNKNOWN_BASE', { ref: asked ?? 'HEAD', repository: root });
}
