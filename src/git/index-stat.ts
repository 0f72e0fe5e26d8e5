import type { BigIntStats } from 'node:fs';
import { ENTRY_MODES, entryMode, entryStat, type IndexEntries, STAT_AT } from './index-entries.js';
import type { DatedIndex } from './index-file.js';

// The stat data of index entries: 32-bit numbers, larger values cut to their low bits, as git does it.

const NANOSECONDS = 1_000_000_000n;

/** Whether the file is still the one that the entry was made of: every field alike but the device, as git has it. */
export function matchesStat(index: IndexEntries, entry: number, info: BigIntStats): boolean {
  const matches = (at: number, value: bigint) => entryStat(index, entry, at) === low(value);
  return (
    matches(STAT_AT.size, info.size) &&
    matches(STAT_AT.mtime, info.mtimeNs / NANOSECONDS) &&
    matches(STAT_AT.mtime + 4, info.mtimeNs % NANOSECONDS) &&
    matches(STAT_AT.ctime, info.ctimeNs / NANOSECONDS) &&
    matches(STAT_AT.ctime + 4, info.ctimeNs % NANOSECONDS) &&
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

/** Makes the entry speak of this file. The mode stays. */
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
 * the second that the index was written in, or later. git without USE_NSEC, the usual build, knows seconds only
 * (`is_racy_stat` in read-cache.c).
 */
export const isRacy = (index: DatedIndex, entry: number): boolean =>
  modifiedAt(index, entry) >= index.writtenAt;

/** The second that the file was last written in. */
export const modifiedAt = (index: IndexEntries, entry: number): number =>
  entryStat(index, entry, STAT_AT.mtime);

/** The file's size when the entry was made, or its low 32 bits. */
export const entrySize = (index: IndexEntries, entry: number): number =>
  entryStat(index, entry, STAT_AT.size);

const low = (value: bigint): number => Number(BigInt.asUintN(32, value));
