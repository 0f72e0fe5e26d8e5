import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../domain/error.js';
import type { OverlayMount } from '../exec/overlay-mount.js';
import type { OverlayLayers } from '../workspace/overlay-layers.js';

/** What an overlay slot stands on, in a file of its own: written before it is mounted, read when it has to be again. */
export interface OverlayState {
  readonly layers: OverlayLayers;
  /** Which directories the lower layers were when it was mounted. See `sealRoots`. */
  readonly roots: string;
  /** See `sealUpper`; null until everything stands. */
  readonly seal: string | null;
  /** Of git's index: who reads eight megabytes twice at every reset is not fast any more. See `sealFile`. */
  readonly index: string | null;
}

const fileOf = (directory: string): string => join(directory, 'overlay.json');

/** Undefined when there is none, or none that can be read: then nothing of the slot can be trusted. */
export async function loadState(directory: string): Promise<OverlayState | undefined> {
  try {
    const state = JSON.parse(await readFile(fileOf(directory), 'utf8')) as Partial<OverlayState> | null;
    const isWhole = typeof state?.layers?.lower === 'string' && typeof state.layers.indexFile === 'string';
    return isWhole ? (state as OverlayState) : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whole or not at all. */
export async function saveState(directory: string, state: OverlayState): Promise<void> {
  const draft = `${fileOf(directory)}.carrel`;
  await writeFile(draft, JSON.stringify(state));
  await rename(draft, fileOf(directory));
}

export const upperOf = (directory: string): string => join(directory, 'upper');

/**
 * The mount of a slot, also for whoever mounts it in a namespace of their own. Volatile: what its user writes is
 * captured when the slot comes back, and a power cut before that costs what was written last in any directory. A `work`
 * that was used so is refused later, which is why each mount gets a new one.
 */
export const mountOf = (directory: string, { lower }: Pick<OverlayLayers, 'lower'>): OverlayMount => ({
  lower,
  upper: upperOf(directory),
  work: join(directory, 'work'),
  target: join(directory, 'tree'),
  volatile: true,
});
