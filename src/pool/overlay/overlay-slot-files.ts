import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { type OverlayMount, unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { makeSharedDirectory, moveInto } from '../../git/disk/shared-directory.js';
import type { Git } from '../../git/git.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import type { OverlayLayers } from '../../workspace/template/overlay-layers.js';
import type { FindOverlayObstacle } from '../../workspace/template/overlay-obstacle.js';
import { holdTemplate, releaseTemplate, templateOfLayer } from '../../workspace/template/template-place.js';
import { inspectPrivateGit } from '../slot/private-git-check.js';
import { privateGitOf } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import { listToolDirectories } from '../slot/tool-directories.js';
import type { CacheDigests, KeptCaches, ResetFindings, SlotFiles } from '../slot-files.js';
import { findOverlayProblem, furnishOverlay, moveLayersAside } from './mount-overlay-slot.js';
import { findFittingCaches } from './overlay-caches.js';
import {
  findSlotLower,
  isStanding,
  type LayersSource,
  renewSlotLayers,
  takeSlotLayers,
} from './overlay-slot-layers.js';
import { loadState, mountOf, type OverlayState, upperOf } from './overlay-slot-state.js';
import { findForeignEntry, sealFile, sealUpper } from './overlay-upper.js';

export interface OverlaySlotOptions extends LayersSource {
  readonly findObstacle: FindOverlayObstacle;
  /** Names of directories that tools make again. */
  readonly regenerable: readonly string[];
}

/**
 * Slots that share their files: each is an overlay over the layers of its commit, and only the holder's changes
 * are its own. Handing one out and reclaiming it cost the same at every size. A slot's directory contains
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
    findLower: slot => findSlotLower(options, slot),
    destroy,
  };
}

/** How the slot is mounted, as data: a sandbox mounts it in its own namespace. */
export async function describeOverlay(slot: Pick<SlotRecord, 'id' | 'directory'>): Promise<OverlayMount> {
  const state = loadState(slot.directory);
  if (state) return mountOf(slot.directory, state.layers);
  throw carrelError('INTERNAL', { problem: `the slot ${slot.id} has no record of its layers` });
}

async function make(options: OverlaySlotOptions, slot: SlotRecord, signal?: AbortSignal): Promise<void> {
  await makeSharedDirectory(slot.directory);
  await furnishOverlay(slot, await takeSlotLayers(options, slot, signal));
}

/** With the same commit this is one look at the mount table. After a restart of the machine the mount is gone. */
async function retarget(
  options: OverlaySlotOptions,
  slot: SlotRecord,
  commit: string,
  aside: string,
  signal?: AbortSignal,
): Promise<CacheDigests> {
  const state = loadState(slot.directory);
  const isThere = state && isStanding(slot.directory, state);
  if (isThere && state.layers.commit === commit) return slot.caches;
  const next = { ...slot, commit };
  const layers = await takeSlotLayers(options, next, signal);
  const caches = isThere ? await findStayingCaches(options.git, slot, layers) : {};
  await unmountOverlay(slotPlace(slot.directory).workTree);
  await moveLayersAside(slot, aside, Object.keys(slot.caches));
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
  const state = loadState(slot.directory);
  const isResumed = [join(aside, 'upper'), join(aside, 'git')].some(path => existsSync(path));
  if (!state && !isResumed) return { ...NOTHING_FOUND, problem: UNKNOWN };
  if (state && !isResumed && isUntouched(slot, state, keep) && (await isGitUntouched(slot, state)))
    return { ...NOTHING_FOUND, lower: state.layers.lower, caches: slot.caches };
  const lower = await findSlotLower(options, slot);
  const failed = (problem: string) => ({ ...NOTHING_FOUND, problem, hasWork: true, lower });
  if (!state) return failed(UNKNOWN);
  try {
    return { ...(await renew(options, slot, aside, { state, lower, keep, isResumed })), lower };
  } catch (error) {
    // What is aside by now is nothing without the layers below it.
    return failed(error instanceof Error ? error.message : String(error));
  }
}

const UNKNOWN = 'it has no record of its layers';

async function isGitUntouched(slot: SlotRecord, { index, layers }: OverlayState): Promise<boolean> {
  const isIndexTouched = index !== sealFile(join(slotPlace(slot.directory).gitDir, 'index'));
  const pristineIndex = isIndexTouched ? layers.indexFile : null;
  return (await inspectPrivateGit(privateGitOf(slot), pristineIndex)).isAsWritten;
}

interface Renewal {
  readonly state: OverlayState;
  /** What the present upper layer is read through. */
  readonly lower: string | null;
  readonly keep: KeptCaches;
  readonly isResumed: boolean;
}

async function renew(
  options: OverlaySlotOptions,
  slot: SlotRecord,
  aside: string,
  { state, lower, keep, isResumed }: Renewal,
): Promise<ResetFindings> {
  const { commonDir, directory } = slot;
  const layers = await renewSlotLayers(options, slot, state);
  const mayKeep = !isResumed && isStanding(directory, state);
  const request = { commonDir, upper: upperOf(directory), layers, paths: keep.paths };
  const left =
    mayKeep && !keep.discardsWork
      ? await listToolDirectories(options.git, slot, upperOf(directory), [''], options.regenerable)
      : [];
  // What is aside is read through the same layers, as long as it is there. Those of the slot are held by the slot.
  const [top] = lower?.split(':') ?? [];
  const isHeld = keep.discardsWork && layers.directory === state.layers.directory;
  if (top !== undefined && !isHeld)
    await holdTemplate(templateOfLayer(top), `${slot.id}-${basename(aside)}`, aside);
  const caches = mayKeep ? await findFittingCaches(options.git, request) : {};
  const kept = Object.keys(caches);
  const hasWork =
    isResumed ||
    findForeignEntry(upperOf(directory), kept) !== undefined ||
    !(await isGitUntouched(slot, state));
  await moveLayersAside(slot, aside, keep.paths);
  await furnishOverlay(slot, layers, { from: aside, caches: kept });
  await releaseFormer(slot, state, layers);
  if (!hasWork) await dropAside(aside);
  const problem = await findOverlayProblem(slot, layers, kept);
  return { ...NOTHING_FOUND, problem, hasWork, caches, dropped: left.filter(path => !kept.includes(path)) };
}

/** In one step: after a crash, half of it would count as work and could not be captured. */
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
  dropped: [],
};

function isUntouched(slot: SlotRecord, state: OverlayState, keep: KeptCaches): boolean {
  const caches = Object.keys(slot.caches);
  return (
    state.layers.commit === slot.commit &&
    caches.every(path => keep.paths.includes(path)) &&
    isStanding(slot.directory, state) &&
    state.seal === sealUpper(upperOf(slot.directory), caches) &&
    findForeignEntry(upperOf(slot.directory), caches) === undefined
  );
}

async function destroy(slot: SlotRecord, aside: string): Promise<void> {
  const state = loadState(slot.directory);
  await unmountOverlay(slotPlace(slot.directory).workTree);
  await moveInto(slot.directory, aside);
  if (state) await releaseTemplate(state.layers.directory, slot.id);
}
