import type { AcceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';
import { deleteBookmark, readBookmark } from '../../jj/bookmarks.js';
import { forgetWorkspace, listWorkspaces } from '../../jj/jj-workspaces.js';
import type { BranchOutcome, Removal } from '../backend.js';
import { asideOf, isAside, moveAside, moveBack, remainsOf, removeAside } from '../location/aside.js';
import { requireOurs } from '../location/presence.js';
import { isHeldOrLanded } from '../work/landed-work.js';
import { exportToGit } from './inspect.js';
import { bookmarkPin, hasRepository, type JjBackendOptions, listPins, requireCommonDir } from './jj-place.js';
import { inspectJjPresence } from './jj-presence.js';

export function createJjRemoval(options: JjBackendOptions): Removal {
  return {
    hasRemains: async record => (await isAside(record)) || (await isKnown(options, record)),
    asideOf,
    setAside: record => setAside(options, record),
    putBack: moveBack,
    unregister: (record, accepted, held) => unregister(options, record, accepted, held),
    remainsOf,
    destroy: removeAside,
  };
}

async function isKnown({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<boolean> {
  return (await hasRepository(record)) && (await listWorkspaces(jj, record.repository)).includes(record.id);
}

async function setAside({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) return;
  const { presence } = await inspectJjPresence(jj, record);
  requireOurs(record, presence);
  if (presence.kind === 'present') await moveAside(record);
}

/**
 * The bookmark is deleted when Carrel created it and its commits are landed or discarded (a snapshot `held` has them).
 * Forgetting makes jj abandon the working-copy commit if it is empty. Every other commit stays visible in jj, also a
 * discarded one: it may not be the workspace's own, since `jj edit` can check out any commit.
 */
async function unregister(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  held: string | null,
): Promise<BranchOutcome> {
  const { git, jj } = options;
  if (!(await hasRepository(record))) return { deletedBranch: null, keptBranch: null };
  const outcome = await releaseBookmark(options, record, accepted.discardCommits ? held : null);
  await forgetWorkspace(jj, record.repository, record.id);
  const pins = await listPins(git, record);
  if (pins.length > 0) await updateRefs(git, { gitDir: requireCommonDir(record) }, pins);
  return outcome;
}

async function releaseBookmark(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  held: string | null,
): Promise<BranchOutcome> {
  const none = { deletedBranch: null, keptBranch: null };
  const { branch, repository } = record;
  const { git, jj, temporaryRoot } = options;
  if (branch === null || !record.ownsBranch) return none;
  // Without the pin, a bookmark of that name is not ours.
  if (!(await readRef(git, { gitDir: requireCommonDir(record) }, bookmarkPin(record)))) return none;
  const tips = await readBookmark(jj, repository, branch);
  if (tips.length === 0) return none;
  await exportToGit(jj, record);
  const mayGo = await Promise.all(tips.map(tip => isHeldOrLanded(git, temporaryRoot, record, tip, held)));
  if (!mayGo.every(Boolean)) return { deletedBranch: null, keptBranch: branch };
  await deleteBookmark(jj, repository, branch);
  await exportToGit(jj, record);
  return { deletedBranch: branch, keptBranch: null };
}
