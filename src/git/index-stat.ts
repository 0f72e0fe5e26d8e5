import type { BigIntStats } from 'node:fs';
import { entryMode, type IndexFile, type LoadedIndex } from './index-file.js';

// The stat data of index entries: ten 32-bit numbers, larger values cut to their low bits, as git does it.

const NANOSECONDS = 1_000_000_000n;
/** Where they are in an entry. */
const SIZE_AT = 36;
const MTIME_AT = 8;

/** Whether the file is still the one that the entry was made of: every field alike. */
export function matchesStat(index: IndexFile, entry: number, info: BigIntStats): boolean {
  const { bytes } = index;
  const offset = index.offsets[entry] as number;
  const matches = (at: number, value: bigint) => bytes.readUInt32BE(offset + at) === low(value);
  return (
    matches(SIZE_AT, info.size) &&
    matches(MTIME_AT, info.mtimeNs / NANOSECONDS) &&
    matches(MTIME_AT + 4, info.mtimeNs % NANOSECONDS) &&
    matches(0, info.ctimeNs / NANOSECONDS) &&
    matches(4, info.ctimeNs % NANOSECONDS) &&
    matches(20, info.ino) &&
    entryMode(index, entry) === modeOf(info)
  );
}

/** Only 0644 and 0755 are known to git, by the owner's executable bit. */
function modeOf(info: BigIntStats): number {
  if (info.isSymbolicLink()) return 0o120000;
  if (!info.isFile()) return 0;
  return info.mode & 0o100n ? 0o100755 : 0o100644;
}

/** Makes the entry speak of this file. The mode stays. */
export function putStat(index: IndexFile, entry: number, info: BigIntStats): void {
  const { bytes } = index;
  const offset = index.offsets[entry] as number;
  const put = (at: number, value: bigint) => bytes.writeUInt32BE(low(value), offset + at);
  put(0, info.ctimeNs / NANOSECONDS);
  put(4, info.ctimeNs % NANOSECONDS);
  put(MTIME_AT, info.mtimeNs / NANOSECONDS);
  put(MTIME_AT + 4, info.mtimeNs % NANOSECONDS);
  put(16, info.dev);
  put(20, info.ino);
  put(28, info.uid);
  put(32, info.gid);
  put(SIZE_AT, info.size);
}

/**
 * Whether the file may have changed after the entry was made without a trace in its stat data: it was last written in
 * the second that the index was written in, or later. git without USE_NSEC, the usual build, knows seconds only
 * (`is_racy_stat` in read-cache.c).
 */
export const isRacy = (index: LoadedIndex, entry: number): boolean =>
  index.bytes.readUInt32BE((index.offsets[entry] as number) + MTIME_AT) >= low(index.writtenAt / NANOSECONDS);

/** The file's size when the entry was made, or its low 32 bits. */
export const entrySize = (index: IndexFile, entry: number): number =>
  index.bytes.readUInt32BE((index.offsets[entry] as number) + SIZE_AT);

const low = (value: bigint): number => Number(BigInt.asUintN(32, value));
