import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import type { OverlayMount } from '../../exec/filesystem/overlay-mount.js';
import type { OverlayLayers } from '../../workspace/template/overlay-layers.js';

/** The layers of an overlay slot, in a separate file: written before it is mounted, read when it is mounted again. */
export interface OverlayState {
  readonly layers: OverlayLayers;
  /** Which directories the lower layers were when it was mounted. See `sealRoots`. */
  readonly roots: string;
  /** See `sealUpper`; null until everything is mounted. */
  readonly seal: string | null;
  /** Of git's index: reading eight megabytes twice at every reset would be slow. See `sealFile`. */
  readonly index: string | null;
}

const fileOf = (directory: string): string => join(directory, 'overlay.json');

/** Undefined when there is none, or none that can be read: then nothing of the slot can be trusted. */
export function loadState(directory: string): OverlayState | undefined {
  try {
    const state = JSON.parse(readFileSync(fileOf(directory), 'utf8')) as Partial<OverlayState> | null;
    const isWhole = typeof state?.layers?.lower === 'string' && typeof state.layers.indexFile === 'string';
    return isWhole ? (state as OverlayState) : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Atomic. */
export function saveState(directory: string, state: OverlayState): void {
  const draft = `${fileOf(directory)}.carrel`;
  writeFileSync(draft, JSON.stringify(state));
  renameSync(draft, fileOf(directory));
}

export const upperOf = (directory: string): string => join(directory, 'upper');

/**
 * The mount of a slot, also for callers that mount it in their own namespace. Volatile: what the holder writes is
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
