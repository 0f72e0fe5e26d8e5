import type { BigIntStats } from 'node:fs';
import { ENTRY_MODES, entryMode, entryStat, type IndexEntries, STAT_AT } from './git-index-entries.js';
import type { DatedIndex } from './git-index-file.js';

// The stat data of index entries: 32-bit numbers, larger values truncated to their low bits, as in git.

const NANOSECONDS = 1_000_000_000n;

/** Whether the file is still the one in the entry: every field equal except the device, as in git. */
export function matchesStat(index: IndexEntries, entry: number, info: BigIntStats): boolean {
  const matches = (at: number, value: bigint) => entryStat(index, entry, at) === low(value);
  return (
    matches(STAT_AT.mtime + 4, info.mtimeNs % NANOSECONDS) &&
    matches(STAT_AT.ctime + 4, info.ctimeNs % NANOSECONDS) &&
    matchesInSeconds(index, entry, info)
  );
}

/**
 * Whether git considers the file unchanged since the entry was written: the usual build compares whole seconds only, so a
 * file that was edited and got its old time back within the second passes as unchanged.
 */
export function matchesInSeconds(index: IndexEntries, entry: number, info: BigIntStats): boolean {
  const matches = (at: number, value: bigint) => entryStat(index, entry, at) === low(value);
  return (
    matches(STAT_AT.size, info.size) &&
    matches(STAT_AT.mtime, info.mtimeNs / NANOSECONDS) &&
    matches(STAT_AT.ctime, info.ctimeNs / NANOSECONDS) &&
    matches(STAT_AT.ino, info.ino) &&
    matches(STAT_AT.uid, info.uid) &&
    matches(STAT_AT.gid, info.gid) &&
    entryMode(index, entry) === modeOf(info)
  );
}

/** Only 0644 and 0755 are known to git, by the owner's executable bit. */
function modeOf(info: BigIntStats): number {
  if (info.isSymbolicLink()) return ENTRY_MODES.link;
  if (!info.isFile()) return 0;
  return info.mode & 0o100n ? ENTRY_MODES.executable : ENTRY_MODES.file;
}

/** Writes the file's stat data into the entry. The mode stays. */
export function putStat(index: IndexEntries, entry: number, info: BigIntStats): void {
  const { bytes } = index;
  const offset = index.offsets[entry] as number;
  const put = (at: number, value: bigint) => bytes.writeUInt32BE(low(value), offset + at);
  put(STAT_AT.ctime, info.ctimeNs / NANOSECONDS);
  put(STAT_AT.ctime + 4, info.ctimeNs % NANOSECONDS);
  put(STAT_AT.mtime, info.mtimeNs / NANOSECONDS);
  put(STAT_AT.mtime + 4, info.mtimeNs % NANOSECONDS);
  put(STAT_AT.dev, info.dev);
  put(STAT_AT.ino, info.ino);
  put(STAT_AT.uid, info.uid);
  put(STAT_AT.gid, info.gid);
  put(STAT_AT.size, info.size);
}

/**
 * Whether the file may have changed after the entry was made without a trace in its stat data: it was last written in
 * the second that the index was written in, or later (`is_racy_stat` in git's read-cache.c); or its last change of any
 * kind is so close to the writing of the index that a later one could have the same time.
 */
export const isRacy = (index: DatedIndex, entry: number): boolean =>
  modifiedAt(index, entry) >= index.writtenAt || isWithinTick(index, entry);

/**
 * Whether a change after the index was written could have left the same times to the nanosecond. The kernel takes the
 * time of a change from a clock that moves in steps of at most 10 ms; a file system that keeps whole seconds only shows
 * by times without nanoseconds.
 */
export function isWithinTick(index: DatedIndex, entry: number): boolean {
  const nanoseconds = entryStat(index, entry, STAT_AT.ctime + 4);
  const elapsed =
    (index.writtenAt - entryStat(index, entry, STAT_AT.ctime)) * 1e9 +
    index.writtenAtNanoseconds -
    nanoseconds;
  return elapsed <= (nanoseconds === 0 ? COARSE_TICK_NANOSECONDS : TICK_NANOSECONDS);
}

/** Two steps of the slowest clock (100 Hz). */
const TICK_NANOSECONDS = 2e7;
const COARSE_TICK_NANOSECONDS = 2e9;

/** The second of the file's last write. */
const modifiedAt = (index: IndexEntries, entry: number): number => entryStat(index, entry, STAT_AT.mtime);

/** The file's size when the entry was made, or its low 32 bits. */
export const entrySize = (index: IndexEntries, entry: number): number =>
  entryStat(index, entry, STAT_AT.size);

const low = (value: bigint): number => Number(BigInt.asUintN(32, value));
