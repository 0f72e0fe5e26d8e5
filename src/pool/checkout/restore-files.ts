import { lstatSync, unlinkSync } from 'node:fs';
import { errnoOf } from '../../domain/error/error.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { type BytePath, toFsPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { gitIn, keepIndex, putIndex } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import { listChanged } from './find-touched.js';
import { moveAside } from './move-aside.js';

/** What differs from the commit. */
export interface DifferingFiles {
  readonly foreign: readonly BytePath[];
  readonly touched: readonly BytePath[];
}

export interface RestoreOptions {
  /** An earlier reset was interrupted, and it is unknown what it has moved. */
  readonly isResumed: boolean;
  readonly discardsWork: boolean;
}

/**
 * Moves what differs out of the work tree and writes the tracked files again. Of work that is discarded only what would
 * take time to delete is moved: git, which replaces a file, deletes the old one too.
 */
export async function restoreFiles(
  git: Git,
  slot: SlotRecord,
  aside: string,
  differing: DifferingFiles,
  { isResumed, discardsWork }: RestoreOptions,
): Promise<void> {
  const { workTree } = slotPlace(slot.directory);
  if (discardsWork && !isResumed) discard(workTree, aside, differing);
  else await moveAll(git, slot, aside, differing, isResumed);
  await putIndex(slot.directory);
  if (differing.touched.length > 0) await writeTouched(git, slot);
}

function discard(workTree: string, aside: string, { foreign, touched }: DifferingFiles): void {
  moveAside(workTree, aside, { foreign, touched: [], restored: new Set() });
  const directories = touched.filter(path => !removeFile(workTree, path));
  moveAside(workTree, aside, { foreign: directories, touched: [], restored: new Set() });
}

/** False for a directory. Links in the place of directories were moved before, so no path leads through one. */
function removeFile(workTree: string, path: BytePath): boolean {
  const place = toFsPath(workTree, path);
  try {
    if (lstatSync(place).isDirectory()) return false;
    unlinkSync(place);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error;
  }
  return true;
}

async function moveAll(
  git: Git,
  slot: SlotRecord,
  aside: string,
  { foreign, touched }: DifferingFiles,
  isResumed: boolean,
): Promise<void> {
  const changed = new Set(isResumed ? await listChanged(git, slot) : touched);
  const restored = new Set(touched.filter(path => !changed.has(path)));
  moveAside(slotPlace(slot.directory).workTree, aside, { foreign, touched, restored });
}

/**
 * Compares the index with the commit and the files with the index, and writes what is missing or differs: all in one
 * process. Not `checkout`, which would write and flush HEAD too.
 */
async function writeTouched(git: Git, slot: SlotRecord): Promise<void> {
  const command = ['read-tree', '--reset', '-u', '--no-recurse-submodules', slot.commit];
  await git.run(command, gitIn(slot.directory));
  await keepIndex(slot.directory);
}
