import { lstatSync } from 'node:fs';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { isMountOf } from '../../exec/filesystem/overlay-mount.js';
import type { Git } from '../../git/git.js';
import { type OverlayLayers, takeLayers } from '../../workspace/template/overlay-layers.js';
import { loadState, mountOf, type OverlayState } from './overlay-slot-state.js';

export interface LayersSource {
  readonly git: Git;
  /** The directory of all workspaces; a real path. */
  readonly root: string;
}

/** The layers of the slot's commit, whole and held for it. */
export function takeSlotLayers(
  { git, root }: LayersSource,
  slot: SlotRecord,
  signal?: AbortSignal,
): Promise<OverlayLayers> {
  const { repositoryId, repository, commonDir, commit } = slot;
  const request = { root, repositoryId, repository, commonDir, commit };
  return takeLayers(git, request, { id: slot.id, path: slot.directory }, signal);
}

/**
 * The layers of the slot's commit. Those that it was mounted over only while it is: after a restart of the machine
 * it is unknown whether all of their files reached the disk.
 */
export async function renewSlotLayers(
  source: LayersSource,
  slot: SlotRecord,
  state: OverlayState,
): Promise<OverlayLayers> {
  const isSame = state.layers.commit === slot.commit && isStanding(slot.directory, state);
  return isSame ? state.layers : takeSlotLayers(source, slot);
}

/** Whether the slot is mounted over the very directories that it was made over. */
export const isStanding = (directory: string, { layers, roots }: OverlayState): boolean =>
  isMountOf(mountOf(directory, layers)) && roots === sealRoots(layers);

/** The mount table has the names of the lower layers, and a name may lead to another directory by now. */
export const sealRoots = ({ lower }: Pick<OverlayLayers, 'lower'>): string =>
  lower
    .split(':')
    .map(path => lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? 'none')
    .join(' ');

/**
 * What the slot's upper layer is read through. When nothing says what it was mounted over, the layers of its commit show
 * the same files; when those can't be made, what it was mounted over is better than nothing.
 */
export async function findSlotLower(source: LayersSource, slot: SlotRecord): Promise<string | null> {
  const state = loadState(slot.directory);
  const commit = state?.layers.commit ?? slot.commit;
  if (commit === '') return null;
  if (!state) return (await takeSlotLayers(source, slot)).lower;
  return renewSlotLayers(source, { ...slot, commit }, state).then(
    layers => layers.lower,
    () => state.layers.lower,
  );
}
