import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError, errnoOf } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { unmountOverlay } from '../../exec/overlay-mount.js';
import type { Git } from '../../git/git.js';
import { adminDirOf, isRegistered } from '../../git/linked-worktree.js';
import type { Backend, CreateHooks, CreateResult } from '../backend.js';
import { checkLfs } from '../lfs.js';
import { takeLayers } from '../overlay-layers.js';
import { removeTree } from '../remove-tree.js';
import { copyTemplateIndex } from '../template-index.js';
import { mountNew } from './mount.js';
import { overlayOf, rootOf, upperOf } from './place.js';

/** The registration is an ordinary worktree's; only the files come another way. */
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
  await mkdir(overlayOf(record), { recursive: true });
  const layers = await takeLayers(git, request, { id, path: overlayOf(record) }, signal);
  await mountNew(record, layers.lower);
  await copyTemplateIndex(layers.indexFile, join(adminDirOf({ commonDir, id }), 'index'));
  const { warnings } = await checkLfs(git, repository);
  return { warnings, population: { way: 'overlay', reason: null } };
}

/** What is restored is no commit's files: it is written anew, all of it, into the upper layer. */
async function mountEmpty(record: WorkspaceRecord): Promise<void> {
  const lower = join(overlayOf(record), 'nothing');
  await mkdir(lower, { recursive: true });
  await mountNew(record, lower);
}

export async function undoCreateOverlay(worktrees: Backend, record: WorkspaceRecord): Promise<void> {
  await requireJudged(record);
  if ((await listUpper(record)) !== undefined) await unmountOverlay(record.path);
  await worktrees.undoCreate(record);
  await removeOverlay(record);
}

/** Files that git has forgotten were not forgotten by us, and nobody saw what is in them. */
async function requireJudged(record: WorkspaceRecord): Promise<void> {
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

/** With it the use of the template ends. */
export async function removeOverlay(record: WorkspaceRecord): Promise<void> {
  await removeTree(overlayOf(record));
  // Most often it is not empty, and nothing depends on it.
  await rmdir(dirname(overlayOf(record))).catch(() => undefined);
}
