import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findFullPlace } from '../../git/disk/disk-full.js';
import { makeNewDirectory } from '../../git/disk/shared-directory.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';
import { restoreWorkTree } from '../../git/snapshot/restore/restore-work-tree.js';
import { readSnapshotMeta } from '../../git/snapshot/snapshot-meta.js';
import { createBookmark, deleteBookmark, readBookmark } from '../../jj/bookmarks.js';
import { identityVariables } from '../../jj/jj-identity.js';
import { addWorkspace, fillWorkspace, forgetWorkspace } from '../../jj/jj-workspaces.js';
import { knowsCommit } from '../../jj/revisions.js';
import type { CreateHooks, CreateResult } from '../backend.js';
import { removeTree } from '../files/remove-tree.js';
import { moveAside, removeAside } from '../location/aside.js';
import { viewOf, withView } from './git-view.js';
import { chooseJjName, findJjName } from './jj-name.js';
import {
  basePin,
  bookmarkPin,
  hasRepository,
  type JjBackendOptions,
  listPins,
  namePins,
  requireCommonDir,
} from './jj-place.js';
import { isOwnDirectory, prepareDirectory } from './jj-presence.js';

/** Where the new workspace starts. */
interface Start {
  /** Parents of its working-copy commit. */
  readonly commit: string;
  /** Where its bookmark is created. */
  readonly tip: string;
  readonly warnings: readonly string[];
}

/** Registered under the lock, filled outside it: jj's operations need no lock, and filling takes the time. */
export async function createJjWorkspace(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  hooks: CreateHooks,
): Promise<CreateResult> {
  const start = hooks.from ? await findRestoredStart(options, record, hooks.from) : plainStart(record);
  const by = { env: await identityVariables(options.jj, record.repository), signal: hooks.signal };
  const workspace = await hooks.exclusively(async () => {
    const name = await chooseJjName(options, record);
    const workspace = { name, path: record.path, commit: start.commit };
    await makeNewDirectory(record.path);
    await pin(options, record, start, name);
    await addWorkspace(options.jj, record.repository, workspace, by);
    await prepareDirectory(record);
    await makeBookmark(options, record, start);
    return workspace;
  });
  await hooks.onStep('registered');
  await fillWorkspace(options.jj, record.repository, workspace, by).catch(async error => {
    throw await explainFailure(record, error);
  });
  const warnings = hooks.from ? await restore(options, record, hooks, hooks.from, start) : [];
  await hooks.onStep('populated');
  return { warnings: [...start.warnings, ...warnings] };
}

/**
 * Undoes what was made, from any step on, even after an interrupted undo: the files are first renamed to a name that
 * shows the owner. A bookmark that has moved since holds new work and is kept.
 */
export async function undoCreateJjWorkspace(
  options: JjBackendOptions,
  record: WorkspaceRecord,
): Promise<void> {
  if (await isOwnDirectory(options, record)) {
    await requireKnownToJj(options, record);
    await moveAside(record);
  }
  if (await hasRepository(record)) await undoRegister(options, record);
  await removeAside(record);
}

/** Carrel did not make jj forget these files, so they have not been checked and may hold work. */
async function requireKnownToJj(options: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  const { name, path } = record;
  const isBare = (await readdir(path)).every(entry => entry === '.jj');
  if (isBare || (await findJjName(options, record)) !== undefined) return;
  throw carrelError('WORKSPACE_REPLACED', { name, path, found: 'a workspace that jj has forgotten' });
}

async function undoRegister(options: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  const { git, jj } = options;
  const { repository, branch } = record;
  const name = await findJjName(options, record);
  if (name !== undefined) await forgetWorkspace(jj, repository, name);
  const place = { gitDir: requireCommonDir(record) };
  const start = branch === null ? undefined : await readRef(git, place, bookmarkPin(record));
  if (branch !== null && record.ownsBranch && start !== undefined) {
    const tips = await readBookmark(jj, repository, branch);
    if (tips.length === 1 && tips[0] === start) await deleteBookmark(jj, repository, branch);
  }
  const pins = await listPins(git, record);
  if (pins.length > 0) await updateRefs(git, place, pins);
}

const plainStart = ({ base }: WorkspaceRecord): Start => ({
  commit: base.commit as string,
  tip: base.commit as string,
  warnings: [],
});

/** Its former parents, or its base when jj no longer knows them, which only affects `jj diff`. */
async function findRestoredStart(
  { git, jj }: JjBackendOptions,
  record: WorkspaceRecord,
  from: Snapshot,
): Promise<Start> {
  const meta = await readSnapshotMeta(git, from.objectStore, from.commit as string);
  const base = record.base.commit as string;
  const isKnown = (commit: string | null): Promise<boolean> =>
    commit === null ? Promise.resolve(false) : knowsCommit(jj, record.repository, commit);
  const tip = (await isKnown(meta.branchTip)) ? (meta.branchTip as string) : base;
  if (await isKnown(meta.head.commit)) return { commit: meta.head.commit as string, tip, warnings: [] };
  const warning = `jj no longer knows ${meta.head.commit ?? 'its root'}; the base is the parent instead`;
  return { commit: base, tip, warnings: [warning] };
}

/** Pins come first: without its pin a bookmark is not treated as ours. */
async function pin(
  { git }: JjBackendOptions,
  record: WorkspaceRecord,
  { tip }: Start,
  name: string,
): Promise<void> {
  const pins = [
    { ref: basePin(record), from: null, to: record.base.commit },
    { ref: `${namePins(record)}/${name}`, from: null, to: record.base.commit },
    ...(record.branch === null ? [] : [{ ref: bookmarkPin(record), from: null, to: tip }]),
  ];
  await updateRefs(git, { gitDir: requireCommonDir(record) }, pins);
}

async function makeBookmark(
  { git, jj }: JjBackendOptions,
  record: WorkspaceRecord,
  { tip }: Start,
): Promise<void> {
  const { branch, repository } = record;
  if (branch === null || !record.ownsBranch || (await createBookmark(jj, repository, branch, tip))) return;
  // It was free when it was checked; another process has created it since, and without a pin it is not ours.
  await updateRefs(git, { gitDir: requireCommonDir(record) }, await listPins(git, record));
  throw carrelError('BRANCH_EXISTS', { branch });
}

/** jj has the same exit status for a full disk and other errors. */
async function explainFailure(record: WorkspaceRecord, error: unknown): Promise<unknown> {
  const full = await findFullPlace([record.path, requireCommonDir(record)]);
  return full !== undefined && isCarrelError(error, 'JJ_FAILED')
    ? carrelError('DISK_FULL', { path: full }, error)
    : error;
}

/** Remove what jj checked out first: a snapshot has all files. */
async function restore(
  { git, temporaryRoot, keptDir }: JjBackendOptions,
  record: WorkspaceRecord,
  { privateGitDir, privateHome }: CreateHooks,
  from: Snapshot,
  { commit }: Start,
): Promise<readonly string[]> {
  for (const name of await readdir(record.path)) {
    if (name !== '.jj') await removeTree(join(record.path, name));
  }
  const view = viewOf(record, commit);
  const request = { commit: from.commit as string, privateGitDir, privateHome, keptDir, temporaryRoot };
  return withView(git, temporaryRoot, view, async place => {
    return (await restoreWorkTree(git, place, request)).warnings;
  });
}
