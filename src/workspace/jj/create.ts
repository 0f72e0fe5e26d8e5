import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, isCarrelError } from '../../domain/error.js';
import type { Snapshot } from '../../domain/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { restoreWorkTree } from '../../git/capture/restore.js';
import { readSnapshotMeta } from '../../git/capture/snapshot-meta.js';
import { findFullPlace } from '../../git/disk-full.js';
import { makeOwnDirectory } from '../../git/own-directory.js';
import { readRef, updateRefs } from '../../git/refs.js';
import { createBookmark, deleteBookmark, readBookmark } from '../../jj/bookmarks.js';
import { identityVariables } from '../../jj/identity.js';
import { knowsCommit } from '../../jj/revisions.js';
import { addWorkspace, fillWorkspace, forgetWorkspace, listWorkspaces } from '../../jj/workspaces.js';
import { destroyAside, moveAside } from '../aside.js';
import type { CreateHooks, CreateResult } from '../backend.js';
import { removeTree } from '../remove-tree.js';
import {
  basePin,
  bookmarkPin,
  hasRepository,
  type JjBackendOptions,
  listPins,
  requireCommonDir,
} from './place.js';
import { isOwnDirectory, settleDirectory } from './presence.js';
import { viewOf, withView } from './view.js';

/** Where the new workspace begins. */
interface Start {
  /** What its working-copy commit stands on. */
  readonly commit: string;
  /** Where its bookmark is made. */
  readonly tip: string;
  readonly warnings: readonly string[];
}

/** Registered in the lock, filled outside of it: jj's operations need no lock, and filling is what takes time. */
export async function createJjWorkspace(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  hooks: CreateHooks,
): Promise<CreateResult> {
  const start = hooks.from ? await findRestoredStart(options, record, hooks.from) : plainStart(record);
  const by = { env: await identityVariables(options.jj, record.repository), signal: hooks.signal };
  const workspace = { name: record.id, path: record.path, commit: start.commit };
  await hooks.exclusively(async () => {
    await makeOwnDirectory(record.path);
    await pin(options, record, start);
    await addWorkspace(options.jj, record.repository, workspace, by);
    await settleDirectory(record);
    await makeBookmark(options, record, start);
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
 * Takes back whatever was made, from any point on, also of an earlier attempt to take it back: the files are first
 * renamed to a name that says whose they are. A bookmark that has moved since is somebody's work and stays.
 */
export async function undoCreateJjWorkspace(
  options: JjBackendOptions,
  record: WorkspaceRecord,
): Promise<void> {
  if (await isOwnDirectory(record)) {
    await requireJudged(options, record);
    await moveAside(record);
  }
  if (await hasRepository(record)) await undoRegister(options, record);
  await destroyAside(record);
}

/** Files that jj has forgotten were not forgotten by us, and nobody saw what is in them. */
async function requireJudged({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  const { name, path, id, repository } = record;
  const isBare = (await readdir(path)).every(entry => entry === '.jj');
  if (isBare || ((await hasRepository(record)) && (await listWorkspaces(jj, repository)).includes(id)))
    return;
  throw carrelError('WORKSPACE_REPLACED', { name, path, found: 'a workspace that jj has forgotten' });
}

async function undoRegister({ git, jj }: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  const { id, repository, branch } = record;
  await forgetWorkspace(jj, repository, id);
  const place = { gitDir: requireCommonDir(record) };
  const start = branch === null ? undefined : await readRef(git, place, bookmarkPin(record));
  if (branch !== null && start !== undefined) {
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

/** On what it stood before; on its base when jj has forgotten that, which makes a difference to `jj diff` alone. */
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
  const warning = `jj no longer knows ${meta.head.commit ?? 'its root'}; the files stand on the base instead`;
  return { commit: base, tip, warnings: [warning] };
}

/** Before what they are for: without its pin a bookmark is nobody's of ours. */
async function pin({ git }: JjBackendOptions, record: WorkspaceRecord, { tip }: Start): Promise<void> {
  const pins = [
    { ref: basePin(record), from: null, to: record.base.commit },
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
  if (branch === null || (await createBookmark(jj, repository, branch, tip))) return;
  // It was free when it was looked for; somebody has made it since, and without a pin it is not taken for ours.
  await updateRefs(git, { gitDir: requireCommonDir(record) }, await listPins(git, record));
  throw carrelError('BRANCH_EXISTS', { branch });
}

/** jj has one exit status for a full disk and for all else. */
async function explainFailure(record: WorkspaceRecord, error: unknown): Promise<unknown> {
  const full = await findFullPlace([record.path, requireCommonDir(record)]);
  return full !== undefined && isCarrelError(error, 'JJ_FAILED')
    ? carrelError('DISK_FULL', { path: full }, error)
    : error;
}

/** What jj checked out goes first: a snapshot brings all files with it. */
async function restore(
  { git, temporaryRoot }: JjBackendOptions,
  record: WorkspaceRecord,
  { privateGitDir, privateHome }: CreateHooks,
  from: Snapshot,
  { commit }: Start,
): Promise<readonly string[]> {
  for (const name of await readdir(record.path)) {
    if (name !== '.jj') await removeTree(join(record.path, name));
  }
  const view = viewOf(record, commit);
  const request = { commit: from.commit as string, privateGitDir, privateHome, temporaryRoot };
  return withView(git, temporaryRoot, view, async place => {
    return (await restoreWorkTree(git, place, request)).warnings;
  });
}
