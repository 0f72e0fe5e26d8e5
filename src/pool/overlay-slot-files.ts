import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { carrelError, errnoOf } from '../domain/error.js';
import type { SlotRecord } from '../domain/slot.js';
import { isMountOf, type OverlayMount, unmountOverlay } from '../exec/overlay-mount.js';
import type { Git } from '../git/git.js';
import { type OverlayLayers, takeLayers } from '../workspace/overlay-layers.js';
import type { FindOverlayObstacle } from '../workspace/overlay-obstacle.js';
import { removeTree } from '../workspace/remove-tree.js';
import { holdTemplate, releaseTemplate } from '../workspace/template-place.js';
import { findOverlayProblem, furnishOverlay, moveLayersAside } from './furnish-overlay.js';
import { findFittingCaches } from './overlay-caches.js';
import { loadState, mountOf, type OverlayState, upperOf } from './overlay-slot-state.js';
import { findForeignEntry, sealFile, sealUpper } from './overlay-upper.js';
import { inspectPrivateGit } from './private-git-check.js';
import type { CacheDigests, KeptCaches, ResetFindings, SlotFiles } from './slot-files.js';
import { privateGitOf } from './slot-git.js';
import { slotPlace } from './slot-place.js';

export interface OverlaySlotOptions {
  readonly git: Git;
  /** The directory of all workspaces; a real path. */
  readonly root: string;
  readonly findObstacle: FindOverlayObstacle;
}

/**
 * Slots that share their files: each is an overlay over the layers of its commit, and nothing but what its user changed
 * is its own. Handing one out and taking it back cost the same at every size. A slot's directory holds
 *
 *     tree/         where it is mounted
 *     git/          its git directory, on the disk itself
 *     upper/        what differs, with `.git`; replaced at every reset
 *     work/         the kernel's
 *     overlay.json  what it is mounted over
 */
export function createOverlaySlotFiles(options: OverlaySlotOptions): SlotFiles {
  return {
    kind: 'overlay',
    findObstacle: directory => options.findObstacle(directory),
    make: (slot, signal) => make(options, slot, signal),
    retarget: (slot, commit, aside, signal) => retarget(options, slot, commit, aside, signal),
    reset: (slot, aside, keep) => reset(options, slot, aside, keep),
    findLower: slot => findLower(options, slot),
    destroy,
  };
}

/** How the slot is mounted, as data: a sandbox mounts it in its own namespace. */
export async function describeOverlay(slot: Pick<SlotRecord, 'id' | 'directory'>): Promise<OverlayMount> {
  const state = await loadState(slot.directory);
  if (state) return mountOf(slot.directory, state.layers);
  throw carrelError('INTERNAL', { problem: `nothing says what the slot ${slot.id} is mounted over` });
}

async function make(options: OverlaySlotOptions, slot: SlotRecord, signal?: AbortSignal): Promise<void> {
  await mkdir(slot.directory, { recursive: true });
  await furnishOverlay(slot, await take(options, slot, signal));
}

function take(options: OverlaySlotOptions, slot: SlotRecord, signal?: AbortSignal): Promise<OverlayLayers> {
  const { repositoryId, repository, commonDir, commit } = slot;
  const request = { root: options.root, repositoryId, repository, commonDir, commit };
  return takeLayers(options.git, request, { id: slot.id, path: slot.directory }, signal);
}

/** With the same commit this is one look at the mount table. After a restart of the machine the mount is gone. */
async function retarget(
  options: OverlaySlotOptions,
  slot: SlotRecord,
  commit: string,
  aside: string,
  signal?: AbortSignal,
): Promise<CacheDigests> {
  const state = await loadState(slot.directory);
  const isThere = state && isMountOf(mountOf(slot.directory, state.layers));
  if (isThere && state.layers.commit === commit) return slot.caches;
  const next = { ...slot, commit };
  const layers = await take(options, next, signal);
  const caches = isThere ? await findStayingCaches(options.git, slot, layers) : {};
  await unmountOverlay(slotPlace(slot.directory).workTree);
  await moveLayersAside(slot.directory, aside);
  await furnishOverlay(next, layers, { from: aside, caches: Object.keys(caches) });
  if (findForeignEntry(join(aside, 'upper'), []) === undefined) await dropAside(aside);
  await releaseFormer(slot, state, layers);
  return caches;
}

async function findStayingCaches(git: Git, slot: SlotRecord, layers: OverlayLayers): Promise<CacheDigests> {
  const { commonDir, caches } = slot;
  const request = { commonDir, upper: upperOf(slot.directory), layers, paths: Object.keys(caches) };
  const found = await findFittingCaches(git, request);
  return Object.fromEntries(Object.entries(found).filter(([path, digest]) => caches[path] === digest));
}

async function releaseFormer(
  slot: SlotRecord,
  state: OverlayState | undefined,
  layers: OverlayLayers,
): Promise<void> {
  const former = state?.layers.directory;
  if (former && former !== layers.directory) await releaseTemplate(former, slot.id);
}

/**
 * A slot in which nothing was done stays as it is. Any other gets a new upper layer and a new git directory, and the old
 * ones are aside in two renames; an interrupted reset finds them there and does not look for work a second time.
 */
async function reset(
  options: OverlaySlotOptions,
  slot: SlotRecord,
  aside: string,
  keep: KeptCaches,
): Promise<ResetFindings> {
  const state = await loadState(slot.directory);
  if (!state) return { ...NOTHING_FOUND, problem: 'nothing says what it is mounted over' };
  const { commonDir, directory } = slot;
  const former = state.layers;
  const isResumed = [join(aside, 'upper'), join(aside, 'git')].some(path => existsSync(path));
  const isIndexTouched = state.index !== sealFile(join(slotPlace(directory).gitDir, 'index'));
  const pristineIndex = isIndexTouched ? former.indexFile : null;
  const { isAsWritten } = await inspectPrivateGit(privateGitOf(slot), pristineIndex);
  if (!isResumed && isAsWritten && isUntouched(slot, state, keep))
    return { ...NOTHING_FOUND, lower: former.lower, caches: slot.caches };
  const layers = former.commit === slot.commit ? former : await take(options, slot);
  await unmountOverlay(slotPlace(directory).workTree);
  const request = { commonDir, upper: upperOf(directory), layers, paths: keep.paths };
  const caches = isResumed ? {} : await findFittingCaches(options.git, request);
  const kept = Object.keys(caches);
  const hasWork = isResumed || !isAsWritten || findForeignEntry(upperOf(directory), kept) !== undefined;
  await moveLayersAside(directory, aside);
  // What is aside is read through the same layers, as long as it is there.
  await holdTemplate(former.directory, `${slot.id}-${basename(aside)}`, aside);
  await furnishOverlay(slot, layers, { from: aside, caches: kept });
  if (!hasWork) await dropAside(aside);
  const problem = await findOverlayProblem(slot, layers, kept);
  return { problem, hasWork, isPartial: false, lower: former.lower, caches };
}

/** In one step: half of it would be taken for work by whoever comes after a crash, and could not be captured. */
async function dropAside(aside: string): Promise<void> {
  const rubbish = `${aside}.rubbish`;
  await removeTree(rubbish);
  await rename(aside, rubbish);
  await removeTree(rubbish);
}

const NOTHING_FOUND: ResetFindings = {
  problem: null,
  hasWork: false,
  isPartial: false,
  lower: null,
  caches: {},
};

function isUntouched(slot: SlotRecord, { layers, seal }: OverlayState, keep: KeptCaches): boolean {
  const caches = Object.keys(slot.caches);
  return (
    layers.commit === slot.commit &&
    caches.every(path => keep.paths.includes(path)) &&
    isMountOf(mountOf(slot.directory, layers)) &&
    seal === sealUpper(upperOf(slot.directory), caches) &&
    findForeignEntry(upperOf(slot.directory), caches) === undefined
  );
}

/** When nothing says what it was mounted over, the layers of its commit show the same files. */
async function findLower(options: OverlaySlotOptions, slot: SlotRecord): Promise<string | null> {
  const state = await loadState(slot.directory);
  if (state) return state.layers.lower;
  return slot.commit === '' ? null : (await take(options, slot)).lower;
}

async function destroy(slot: SlotRecord, aside: string): Promise<void> {
  const state = await loadState(slot.directory);
  await unmountOverlay(slotPlace(slot.directory).workTree);
  await mkdir(dirname(aside), { recursive: true });
  await rename(slot.directory, aside).catch(error => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
  if (state) await releaseTemplate(state.layers.directory, slot.id);
}
