import type { AcceptedRisks } from '../../domain/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { readRef, updateRefs } from '../../git/refs.js';
import { deleteBookmark, readBookmark } from '../../jj/bookmarks.js';
import { forgetWorkspace, listWorkspaces } from '../../jj/workspaces.js';
import { asideOf, destroyAside, isAside, moveAside, moveBack, remainsOf } from '../aside.js';
import type { BranchOutcome, Removal } from '../backend.js';
import { isHeldOrLanded } from '../landed-work.js';
import { requireOurs } from '../presence.js';
import { settleRefs } from './inspect.js';
import { bookmarkPin, hasRepository, type JjBackendOptions, listPins, requireCommonDir } from './place.js';
import { sight } from './presence.js';

export function createJjRemoval(options: JjBackendOptions): Removal {
  return {
    hasRemains: async record => (await isAside(record)) || (await isKnown(options, record)),
    asideOf,
    setAside: record => setAside(options, record),
    putBack: moveBack,
    unregister: (record, accepted, held) => unregister(options, record, accepted, held),
    remainsOf,
    destroy: destroyAside,
  };
}

async function isKnown({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<boolean> {
  return (await hasRepository(record)) && (await listWorkspaces(jj, record.repository)).includes(record.id);
}

async function setAside({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) return;
  const { presence } = await sight(jj, record);
  requireOurs(record, presence);
  if (presence.kind === 'present') await moveAside(record);
}

/**
 * The bookmark goes when Carrel made it and its commits are landed or given up (a snapshot `held` has them). Forgetting
 * makes jj abandon the working-copy commit if that is empty. Every other commit stays visible in jj, also one that was
 * given up: whether it is the workspace's own can't be told, since `jj edit` may lead anywhere.
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
  // Without the pin, what has that name now is somebody else's.
  if (!(await readRef(git, { gitDir: requireCommonDir(record) }, bookmarkPin(record)))) return none;
  const tips = await readBookmark(jj, repository, branch);
  if (tips.length === 0) return none;
  await settleRefs(jj, record);
  const mayGo = await Promise.all(tips.map(tip => isHeldOrLanded(git, temporaryRoot, record, tip, held)));
  if (!mayGo.every(Boolean)) return { deletedBranch: null, keptBranch: branch };
  await deleteBookmark(jj, repository, branch);
  await settleRefs(jj, record);
  return { deletedBranch: branch, keptBranch: null };
}
