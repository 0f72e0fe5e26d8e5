import {
  chmodSync,
  copyFileSync,
  lstatSync,
  lutimesSync,
  type PathLike,
  readlinkSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { errnoOf } from '../../../domain/error/error.js';
import { type BytePath, toFsPath } from '../../../git/byte-path.js';
import { createParentMaker } from '../../../git/files/safe-path.js';
import { clearStat, ENTRY_MODES, entryMode } from '../../../git/index/git-index-entries.js';
import { formatIndex, type LoadedIndex } from '../../../git/index/git-index-file.js';
import { matchesStat, putStat } from '../../../git/index/index-stat.js';
import { CLONE_ONLY, lacksReflinks, throwIfFull } from '../../files/reflink.js';
import { createTimeSlice } from '../../files/time-slice.js';

export interface CloneRequest {
  /** The checkout to clone from; it is only read. */
  readonly from: string;
  /** Its index. The stat data in it is replaced. */
  readonly index: LoadedIndex;
  /** Entries to clone: 1 for entries whose file matches the index, unless its stat data differs. */
  readonly wanted: Uint8Array;
  /** A directory with none of these files, and where its index goes. */
  readonly to: { readonly tree: string; readonly indexFile: string };
  readonly signal?: AbortSignal | undefined;
}

/** How many entries were cloned, and how many are left to git, which sees them as missing. */
export interface CloneResult {
  readonly cloned: number;
  readonly left: number;
}

/**
 * Clones tracked files of a checkout, sharing their blocks, and writes an index in which the clones are clean without any
 * file being read. A file is cloned when it is wanted and its stat data shows that it is unchanged since the index was
 * written. Every other entry (changed, gone, refused by the file system) has no stat data, so that `git reset --hard`
 * writes exactly those. DISK_FULL.
 *
 * Sequential and synchronous, in slices. For 80,000 files, one run each on two cores: 3.7 s on btrfs and 3.3 s
 * on xfs; `cp -a --reflink` plus a stat of every file 3.3 s and 4.5 s; Node's thread pool 3.9 s and 5.2 s.
 */
export async function cloneTree(request: CloneRequest): Promise<CloneResult> {
  const { index, to } = request;
  // As git does: the lock file holds the new index and is renamed over it at the end.
  const lock = `${to.indexFile}.lock`;
  const file = await open(lock, 'wx');
  try {
    // The mode that the user's umask gives a plain file; creating one is the only way to read it without changing the umask.
    const plainMode = (await file.stat()).mode & 0o777;
    const cloned = await cloneEntries(request, plainMode);
    await file.writeFile(formatIndex(index));
    await rename(lock, to.indexFile);
    return { cloned, left: index.paths.length - cloned };
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function cloneEntries(request: CloneRequest, plainMode: number): Promise<number> {
  const { index, wanted, to, signal } = request;
  const cloning = { ...request, plainMode, makeParents: createParentMaker(to.tree) };
  const slice = createTimeSlice();
  let cloned = 0;
  let canClone = true;
  for (let entry = 0; entry < index.paths.length; entry++) {
    if (slice.isOver()) await slice.breathe();
    signal?.throwIfAborted();
    const outcome: EntryOutcome = canClone && wanted[entry] ? cloneEntry(cloning, entry) : 'left';
    if (outcome === 'cloned') cloned++;
    else clearStat(index, entry);
    canClone &&= outcome !== 'impossible';
  }
  return cloned;
}

type EntryOutcome = 'cloned' | 'left' | 'impossible';

interface Cloning extends CloneRequest {
  readonly plainMode: number;
  readonly makeParents: (path: BytePath) => void;
}

function cloneEntry({ from, index, to, plainMode, makeParents }: Cloning, entry: number): EntryOutcome {
  const path = index.paths[entry] as BytePath;
  const source = fsPath(from, path);
  const target = fsPath(to.tree, path);
  try {
    makeParents(path);
    cloneFile(entryMode(index, entry), source, target);
  } catch (error) {
    throwIfFull(error, target);
    if (errnoOf(error) === undefined) throw error;
    return lacksReflinks(error) ? 'impossible' : 'left';
  }
  // Checked after cloning: the file is older than its index, so a write before or during the clone changed its time.
  const info = lstatSync(source, { bigint: true, throwIfNoEntry: false });
  if (!info || !matchesStat(index, entry, info)) {
    unlinkSync(target);
    return 'left';
  }
  // git tracks one mode bit; the others are those of a new file, not those of the source.
  const mode =
    entryMode(index, entry) === ENTRY_MODES.executable ? plainMode | ((plainMode & 0o444) >> 2) : plainMode;
  if (info.isFile() && Number(info.mode & 0o7777n) !== mode) chmodSync(target, mode);
  // With the source's time it is older than the new index, so git need not hash it on the first status.
  lutimesSync(target, Number(info.atimeMs) / 1000, Number(info.mtimeMs) / 1000);
  putStat(index, entry, lstatSync(target, { bigint: true }));
  return 'cloned';
}

function cloneFile(mode: number, source: PathLike, target: PathLike): void {
  if (mode === ENTRY_MODES.link) symlinkSync(readlinkSync(source, 'buffer'), target);
  else copyFileSync(source, target, CLONE_ONLY);
}

/** A string where that is equivalent, because it is faster. */
function fsPath(root: string, path: BytePath): string | Buffer {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /^[\x00-\x7f]*$/.test(path) ? `${root}/${path}` : toFsPath(root, path);
}
