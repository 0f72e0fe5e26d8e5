import { lstat, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { carrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { checkoutState, findBlockers } from '../../git/checkout-update.js';
import type { Git } from '../../git/git.js';
import { listWorktrees, type Worktree } from '../../git/locate.js';
import { findBranchToReturnTo } from '../../git/operation-in-progress.js';
import type { WorkTreePlace } from '../../git/work-tree/place.js';
import { isMarkedForeign } from './foreign-mark.js';
import type { LandTarget } from './land-target.js';
import { worktreeGitDir } from './place.js';

/** Where a branch is checked out, or will be again when an operation ends; the main work tree and linked ones. */
export async function listCheckouts(
  git: Git,
  record: WorkspaceRecord,
  target: LandTarget,
): Promise<WorkTreePlace[]> {
  const { commonDir } = worktreeGitDir(record);
  const [main, ...linked] = await listWorktrees(git, commonDir);
  const admins = await readAdminDirectories(commonDir);
  const places: (readonly [Worktree | undefined, WorkTreePlace])[] = [
    // Its path as git lists it is wrong for a submodule and for a git directory kept elsewhere; the record's is right.
    [main, { commonDir, gitDir: commonDir, workTree: record.repository }],
    ...linked.map(
      worktree =>
        [worktree, { commonDir, gitDir: admins.get(worktree.path) ?? '', workTree: worktree.path }] as const,
    ),
  ];
  const isOnTarget = await Promise.all(
    places.map(async ([worktree, place]) => {
      if (!worktree || worktree.bare || place.gitDir === '') return false;
      return (worktree.branch ?? (await findBranchToReturnTo(place.gitDir))) === target.ref;
    }),
  );
  const checkouts = places.filter((_, index) => isOnTarget[index]).map(([, place]) => place);
  return Promise.all(
    checkouts.map(async place => ({ ...place, isForeign: await isMarkedForeign(place.gitDir) })),
  );
}

/** Path of each linked worktree to its admin directory: `gitdir` holds the path of the worktree's `.git` file. */
async function readAdminDirectories(commonDir: string): Promise<Map<string, string>> {
  const root = join(commonDir, 'worktrees');
  const names = await readdir(root).catch(() => []);
  const pairs = await Promise.all(
    names.map(async name => {
      const admin = join(root, name);
      const pointer = await readFile(join(admin, 'gitdir'), 'utf8').catch(() => '');
      return [dirname(resolve(admin, pointer.replace(/\n$/, ''))), admin] as const;
    }),
  );
  return new Map(pairs);
}

export interface RefMove {
  readonly before: string;
  readonly after: string;
}

/** The checkouts of the target, each of them ready to be brought along; LAND_CHECKOUT_DIRTY otherwise. */
export async function requireReadyCheckouts(
  git: Git,
  record: WorkspaceRecord,
  target: LandTarget,
  { before, after }: RefMove,
  temporaryRoot: string,
): Promise<WorkTreePlace[]> {
  const ready: WorkTreePlace[] = [];
  for (const checkout of await listCheckouts(git, record, target)) {
    const presence = await findCheckoutPresence(checkout);
    // git has forgotten about a directory that is gone, except when its worktree is locked, as on a drive taken out.
    if (presence === 'gone') continue;
    const state = await judge(git, checkout, presence, before);
    const move = { from: before, to: after };
    const files =
      state.dirty.length > 0 ? state.dirty : await findBlockers(git, checkout, move, temporaryRoot);
    if (files.length > 0)
      throw carrelError('LAND_CHECKOUT_DIRTY', { into: target.branch, path: checkout.workTree, files });
    ready.push(checkout);
  }
  return ready;
}

/** git does not get to see what is written in a sandbox, and can't bring it along. */
async function judge(
  git: Git,
  checkout: WorkTreePlace,
  presence: 'there' | 'away',
  before: string,
): Promise<{ readonly dirty: readonly string[] }> {
  if (presence === 'away') return { dirty: ['(its directory is not there now)'] };
  if (checkout.isForeign) return { dirty: ['(its files are those of a sandbox)'] };
  return checkoutState(git, checkout, before);
}

export async function findCheckoutPresence(checkout: WorkTreePlace): Promise<'there' | 'gone' | 'away'> {
  const exists = (path: string) =>
    lstat(path).then(
      () => true,
      () => false,
    );
  if (await exists(checkout.workTree)) return 'there';
  return (await exists(join(checkout.gitDir, 'locked'))) ? 'away' : 'gone';
}
