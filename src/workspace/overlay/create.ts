import { readdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { makeSharedDirectory } from '../../git/disk/shared-directory.js';
import type { Git } from '../../git/git.js';
import { adminDirOf, isRegistered } from '../../git/repository/linked-worktree.js';
import type { Backend, CreateHooks, CreateResult } from '../backend.js';
import { removeTree } from '../files/remove-tree.js';
import { checkLfs } from '../template/lfs.js';
import { takeLayers } from '../template/overlay-layers.js';
import { copyTemplateIndex } from '../template/template-index.js';
import { mountNew } from './mount.js';
import { overlayOf, rootOf, upperOf } from './overlay-place.js';

/** The registration is an ordinary worktree's; only the files are created differently. */
export async function createOverlay(
  git: Git,
  worktrees: Backend,
  record: WorkspaceRecord,
  hooks: CreateHooks,
): Promise<CreateResult> {
  if (!hooks.from)
    return worktrees.create(record, { ...hooks, populate: () => populate(git, record, hooks.signal) });
  const onStep: CreateHooks['onStep'] = async step => {
    await hooks.onStep(step);
    if (step === 'registered') await mountEmpty(record);
  };
  return worktrees.create(record, { ...hooks, onStep });
}

async function populate(git: Git, record: WorkspaceRecord, signal?: AbortSignal): Promise<CreateResult> {
  const { id, repositoryId, repository } = record;
  const [commonDir, commit] = [record.commonDir as string, record.base.commit as string];
  const request = { root: rootOf(record), repositoryId, repository, commonDir, commit };
  await makeSharedDirectory(overlayOf(record));
  const layers = await takeLayers(git, request, { id, path: overlayOf(record) }, signal);
  await mountNew(record, layers.lower);
  await copyTemplateIndex(layers.indexFile, join(adminDirOf({ commonDir, id }), 'index'));
  const { warnings } = await checkLfs(git, repository);
  return { warnings, population: { way: 'overlay', reason: null } };
}

/** Restored files match no commit, so all of them are written into the upper layer. */
async function mountEmpty(record: WorkspaceRecord): Promise<void> {
  const lower = join(overlayOf(record), 'nothing');
  await makeSharedDirectory(lower);
  await mountNew(record, lower);
}

export async function undoCreateOverlay(worktrees: Backend, record: WorkspaceRecord): Promise<void> {
  await requireRegistered(record);
  if ((await listUpper(record)) !== undefined) await unmountOverlay(record.path);
  await worktrees.undoCreate(record);
  await removeOverlay(record);
}

/** Carrel did not unregister these files, so they have not been checked and may hold work. */
async function requireRegistered(record: WorkspaceRecord): Promise<void> {
  const { name, path, id } = record;
  const isLinkAlone = ((await listUpper(record)) ?? []).length <= 1;
  if (isLinkAlone || (await isRegistered({ commonDir: record.commonDir as string, id }))) return;
  throw carrelError('WORKSPACE_REPLACED', { name, path, found: 'a worktree that git has forgotten' });
}

async function listUpper(record: WorkspaceRecord): Promise<string[] | undefined> {
  return readdir(upperOf(record)).catch(error => {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return undefined;
  });
}

/** This also ends the use of the template. */
export async function removeOverlay(record: WorkspaceRecord): Promise<void> {
  await removeTree(overlayOf(record));
  // Usually it is not empty, and nothing depends on it.
  await rmdir(dirname(overlayOf(record))).catch(() => undefined);
}
