import type { AcceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';
import { abandonOwn } from '../../jj/abandon.js';
import { deleteBookmark, readBookmark } from '../../jj/bookmarks.js';
import { identityVariables } from '../../jj/jj-identity.js';
import { forgetWorkspace } from '../../jj/jj-workspaces.js';
import { readWorkingCopy } from '../../jj/working-copy.js';
import type { BranchOutcome, Removal } from '../backend.js';
import { asideOf, isAside, moveAside, moveBack, remainsOf, removeAside } from '../location/aside.js';
import { requireOurs } from '../location/presence.js';
import { isHeldOrLanded } from '../work/landed-work.js';
import { exportToGit } from './inspect.js';
import { findJjName } from './jj-name.js';
import { bookmarkPin, hasRepository, type JjBackendOptions, listPins, requireCommonDir } from './jj-place.js';
import { inspectJjPresence } from './jj-presence.js';

export function createJjRemoval(options: JjBackendOptions): Removal {
  return {
    hasRemains: async record => (await isAside(record)) || (await findJjName(options, record)) !== undefined,
    asideOf,
    setAside: record => setAside(options, record),
    putBack: moveBack,
    unregister: (record, accepted, held) => unregister(options, record, accepted, held),
    remainsOf,
    destroy: removeAside,
  };
}

async function setAside(options: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) return;
  const { presence } = await inspectJjPresence(options, record);
  requireOurs(record, presence);
  if (presence.kind === 'present') await moveAside(record);
}

/**
 * The bookmark is deleted when Carrel created it and its commits are landed or discarded (a snapshot `held` has them).
 * Forgetting makes jj abandon the working-copy commit if it is empty; what was discarded is abandoned before, so that it
 * does not stay in `jj log` without a name.
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
  const name = await findJjName(options, record);
  if (name !== undefined) {
    await abandonDiscarded(options, record, name, accepted, held);
    await forgetWorkspace(jj, record.repository, name);
  }
  const pins = await listPins(git, record);
  if (pins.length > 0) await updateRefs(git, { gitDir: requireCommonDir(record) }, pins);
  return outcome;
}

/** Only what the snapshot has; then `jj new COMMIT` brings it back, and so does `carrel restore`. */
async function abandonDiscarded(
  { git, jj }: JjBackendOptions,
  record: WorkspaceRecord,
  name: string,
  { discardChanges, snapshotChanges, discardCommits }: AcceptedRisks,
  held: string | null,
): Promise<void> {
  const { repository, createdAt } = record;
  if (held === null || !(discardChanges || snapshotChanges || discardCommits)) return;
  const workingCopy = await readWorkingCopy(jj, repository, name);
  const place = { gitDir: requireCommonDir(record) };
  const isHeld =
    workingCopy && (await git.succeeds(['merge-base', '--is-ancestor', workingCopy.commit, held], place));
  if (!isHeld || (workingCopy.isDescribed && !discardCommits)) return;
  const env = await identityVariables(jj, repository);
  await abandonOwn(jj, repository, { name, since: createdAt, withCommits: discardCommits === true }, env);
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
