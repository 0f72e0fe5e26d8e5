import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../domain/error.js';
import type { Git } from '../../git/git.js';
import { listWorktrees } from '../../git/locate.js';
import { listRefs, resolveCommit, symbolicHead } from '../../git/refs.js';
import { requireGitVersion } from '../../git/version.js';
import type { Repository, ResolvedRequest, ResolveRequest } from '../backend.js';

/** All that can be known to be wrong before anything is written. */
export async function resolveRequest(
  git: Git,
  repository: Repository,
  request: ResolveRequest,
): Promise<ResolvedRequest> {
  const commonDir = repository.commonDir as string;
  if (repository.linkedWorktree) {
    throw carrelError('INSIDE_WORKTREE', { path: repository.linkedWorktree, repository: repository.root });
  }
  await requireGitVersion(git, commonDir);
  await requireFileRefs(repository.root, commonDir);
  const base = await resolveBase(git, repository.root, commonDir, request.base);
  const branch = request.branch ?? null;
  if (branch !== null) await requireFreeBranch(git, commonDir, branch);
  return { base, branch };
}

/** A worktree's HEAD is a file only with this format; with `reftable` our registration would be an empty shell. */
async function requireFileRefs(root: string, commonDir: string): Promise<void> {
  const info = await lstat(join(commonDir, 'reftable')).catch(() => undefined);
  if (info?.isDirectory())
    throw carrelError('UNSUPPORTED_REPOSITORY', { path: root, feature: 'the reftable ref format' });
}

async function resolveBase(git: Git, root: string, commonDir: string, asked: string | undefined) {
  const place = { gitDir: commonDir };
  const ref = asked ?? 'HEAD';
  const commit = await resolveCommit(git, place, ref);
  const branch = asked ?? (await symbolicHead(git, place)) ?? null;
  if (commit) return { ref: branch, commit };
  const anyCommit = (await listRefs(git, place, [])).length > 0;
  if (!anyCommit) throw carrelError('EMPTY_REPOSITORY', { path: root });
  throw asked === undefined && branch !== null
    ? carrelError('UNBORN_BRANCH', { branch, repository: root })
    : carrelError('UNKNOWN_BASE', { ref, repository: root });
}

/** Free means: git takes the name, nothing has it, and no branch stands in its way as a file against a folder. */
async function requireFreeBranch(git: Git, commonDir: string, branch: string): Promise<void> {
  const place = { gitDir: commonDir };
  // Not `--branch NAME`: that expands `@{-1}` to another branch and calls it valid.
  const isValid = await git.succeeds(['check-ref-format', `refs/heads/${branch}`], place);
  if (!isValid || branch.startsWith('-') || branch === 'HEAD' || !isStorable(branch))
    throw carrelError('INVALID_BRANCH', { branch });
  const parts = branch.split('/');
  const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
  const taken = await listRefs(
    git,
    place,
    [branch, ...above].map(name => `refs/heads/${name}`),
  );
  const inTheWay = taken
    .map(({ ref }) => ref.slice('refs/heads/'.length))
    .find(name => name === branch || name.startsWith(`${branch}/`) || above.includes(name));
  if (!inTheWay) return;
  if (inTheWay !== branch) throw carrelError('BRANCH_IN_THE_WAY', { branch, obstacle: inTheWay });
  const holder = (await listWorktrees(git, commonDir)).find(
    worktree => worktree.branch === `refs/heads/${inTheWay}`,
  );
  throw holder
    ? carrelError('BRANCH_CHECKED_OUT', { branch: inTheWay, path: holder.path })
    : carrelError('BRANCH_EXISTS', { branch: inTheWay });
}

/** The longest name of a file nearly everywhere; git adds `.lock` while it writes. */
const MOST_BYTES = 255 - '.lock'.length;

/** git keeps each part as a file or folder of that name. Half a surrogate pair would come back as something else. */
function isStorable(branch: string): boolean {
  const isText = Buffer.from(branch, 'utf8').toString('utf8') === branch;
  return isText && branch.split('/').every(part => Buffer.byteLength(part) <= MOST_BYTES);
}
