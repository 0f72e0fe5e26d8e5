import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { listRefs, type RefChange, readRef, resolveCommit, updateRefs } from '../../git/refs/refs.js';
import { listBranchHolders } from '../../git/repository/branch-holder.js';
import type { BranchOutcome } from '../backend.js';
import { findPlace } from './inspect.js';

/**
 * The branch of a directory in place whose commands run in a sandbox: commits from inside get there, and HEAD of the user's
 * checkout never moves. With a private git the branch is created by the first commit; with `surgical` it has to be there before.
 * One transaction with a pin proves that it is ours.
 */
export async function registerBranch(git: Git, record: WorkspaceRecord): Promise<void> {
  const gitDir = record.commonDir;
  if (!record.sandbox || record.branch === null || gitDir === null) return;
  const { checkout } = await findPlace(git, record);
  const head = checkout && (await resolveCommit(git, { gitDir: checkout.gitDir }, 'HEAD'));
  if (head === undefined) throw carrelError('EMPTY_REPOSITORY', { path: record.path });
  const pins = [{ ref: `${pinsOf(record)}/base`, from: null, to: record.base.commit }];
  const shared = [branchRef(record), startPin(record)].map(ref => ({ ref, from: null, to: head }));
  const changes = record.sandbox.git === 'surgical' ? [...shared, ...pins] : pins;
  await updateRefs(git, { gitDir }, changes, `carrel: up ${record.name}`);
}

/** Deletes the pins, and the branch when it is ours and nothing was committed to it. */
export async function unregisterBranch(git: Git, record: WorkspaceRecord): Promise<BranchOutcome> {
  const gitDir = record.commonDir;
  const none = { deletedBranch: null, keptBranch: null };
  if (record.branch === null || gitDir === null || !(await isRepository(git, gitDir))) return none;
  const place = { gitDir };
  const pins = await listRefs(git, place, [pinsOf(record)]);
  const start = pins.find(({ ref }) => ref === startPin(record))?.commit;
  const tip = await readRef(git, place, branchRef(record));
  const isUnused =
    tip !== undefined &&
    tip === start &&
    (await listBranchHolders(git, gitDir, branchRef(record))).length === 0;
  const changes: RefChange[] = [
    ...(isUnused ? [{ ref: branchRef(record), from: tip, to: null }] : []),
    ...pins.map(({ ref, commit }) => ({ ref, from: commit, to: null })),
  ];
  if (changes.length > 0) await updateRefs(git, place, changes);
  return {
    deletedBranch: isUnused ? record.branch : null,
    keptBranch: tip !== undefined && !isUnused ? record.branch : null,
  };
}

const isRepository = (git: Git, gitDir: string): Promise<boolean> =>
  git.succeeds(['rev-parse', '--git-dir'], { gitDir }).catch(() => false);

const branchRef = ({ branch }: WorkspaceRecord): string => `refs/heads/${branch}`;
const pinsOf = ({ id }: WorkspaceRecord): string => `refs/carrel/workspaces/${id}`;
const startPin = (record: WorkspaceRecord): string => `${pinsOf(record)}/start`;
