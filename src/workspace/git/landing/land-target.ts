import { carrelError } from '../../../domain/error/error.js';
import { nearest } from '../../../domain/text/nearest-word.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Git } from '../../../git/git.js';
import { listRefs, resolveSymbolicRef, symbolicHead } from '../../../git/refs/refs.js';
import { worktreeGitDir } from '../worktree-place.js';

/** The branch to land on: its display name and the ref to write. */
export interface LandTarget {
  readonly branch: string;
  readonly ref: string;
}

const HEADS = 'refs/heads/';

/** The requested branch, else the branch that the workspace was created from, else the repository's current one. */
export async function findLandTarget(
  git: Git,
  record: WorkspaceRecord,
  into: string | undefined,
): Promise<LandTarget> {
  const target = into === undefined ? await findDefault(git, record) : await requireBranch(git, record, into);
  await requireAnother(git, record, target);
  return target;
}

async function findDefault(git: Git, record: WorkspaceRecord): Promise<LandTarget> {
  const origin = record.base.ref === null ? undefined : await findBranch(git, record, record.base.ref);
  if (origin) return origin;
  const current = await symbolicHead(git, { gitDir: worktreeGitDir(record).commonDir });
  const name = current ?? record.base.ref;
  if (name !== null) return requireBranch(git, record, name);
  throw carrelError('INVALID_INPUT', {
    what: 'the branch to land on',
    found: 'unknown, because the workspace was created from a detached HEAD',
    expected: 'a branch named with --into BRANCH',
  });
}

async function requireBranch(git: Git, record: WorkspaceRecord, name: string): Promise<LandTarget> {
  const found = await findBranch(git, record, name);
  if (found) return found;
  const known = await listRefs(git, { gitDir: worktreeGitDir(record).commonDir }, [HEADS]);
  const names = known
    .map(({ ref }) => ref.slice(HEADS.length))
    .filter(candidate => candidate !== record.branch);
  throw carrelError('UNKNOWN_BRANCH', {
    branch: name,
    repository: record.repository,
    nearest: nearest(name, names),
  });
}

/** A branch by short or full name; undefined when there is none. */
export async function findBranch(
  git: Git,
  record: WorkspaceRecord,
  name: string,
): Promise<LandTarget | undefined> {
  const branch = name.startsWith(HEADS) ? name.slice(HEADS.length) : name;
  const ref = await resolveSymbolicRef(
    git,
    { gitDir: worktreeGitDir(record).commonDir },
    `${HEADS}${branch}`,
  );
  return ref === undefined ? undefined : { branch, ref };
}

async function requireAnother(git: Git, record: WorkspaceRecord, target: LandTarget): Promise<void> {
  const checkedOut = await symbolicHead(git, worktreeGitDir(record));
  if (![record.branch, checkedOut].some(own => target.ref === `${HEADS}${own}`)) return;
  const found = `${target.branch}, the workspace's own`;
  throw carrelError('INVALID_INPUT', {
    what: 'the branch to land on',
    found,
    expected: 'another branch of the repository',
  });
}
