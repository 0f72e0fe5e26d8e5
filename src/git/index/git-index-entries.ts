import type { BytePath } from '../byte-path.js';

// The entries of git's index as gitformat-index(5) lays them out: stat data of the file, object id, flags, name.

/** Entries are read in place. */
export interface IndexEntries {
  readonly bytes: Buffer;
  /** 2, 3 or 4. */
  readonly version: number;
  /** 20 for SHA-1, 32 for SHA-256. */
  readonly idBytes: number;
  /** Offset of each entry, which starts with its stat data. */
  readonly offsets: Uint32Array;
  /** Where the last one ends. */
  readonly entriesEnd: number;
}

/** Offsets of the 32-bit stat numbers in an entry; times are seconds, then nanoseconds. */
export const STAT_AT = {
  ctime: 0,
  mtime: 8,
  dev: 16,
  ino: 20,
  mode: 24,
  uid: 28,
  gid: 32,
  size: 36,
} as const;

/** Types of entries. */
export const ENTRY_MODES = {
  file: 0o100644,
  executable: 0o100755,
  link: 0o120000,
  submodule: 0o160000,
} as const;

const STAT_BYTES = 40;
const ASSUME_UNCHANGED = 0x8000;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
/** Of the extended flags. */
const SKIP_WORKTREE = 0x4000;
const NAME_LENGTH = 0x0fff;
const INTENT_TO_ADD = 0x2000;

type Unscanned = Omit<IndexEntries, 'offsets' | 'entriesEnd'>;

/** Offsets of `count` entries starting at `from`. RangeError beyond `end`. */
export function scanEntries(index: Unscanned, count: number, from: number, end: number): IndexEntries {
  // Every entry is longer than its stat data, so a larger count is wrong.
  if (count * STAT_BYTES > end) throw new RangeError('more entries than bytes');
  const offsets = new Uint32Array(count);
  const findEnd = index.version === 4 ? createCompressedScan(index) : findPaddedEnd;
  let offset = from;
  for (let entry = 0; entry < count; entry++) {
    offsets[entry] = offset;
    offset = findEnd(index, offset);
  }
  if (offset > end) throw new RangeError('an entry beyond the end');
  return { ...index, offsets, entriesEnd: offset };
}

/** One to eight NULs follow the name, so that the next entry begins at a multiple of eight from this one. */
const findPaddedEnd = (index: Unscanned, offset: number): number =>
  offset + ((findNameEnd(index, offset) - offset + 8) & ~7);

/** Version 4 says how many bytes to remove from the end of the previous name, and what to append, up to a NUL. */
function createCompressedScan({ bytes, idBytes }: Unscanned): typeof findPaddedEnd {
  let length = 0;
  return (_, offset) => {
    const { value: stripped, end } = readVarint(bytes, nameStart(bytes, offset, idBytes));
    if (stripped > length) throw new RangeError('a name that strips more than the previous one has');
    const nul = findNul(bytes, end);
    length += nul - end - stripped;
    return nul + 1;
  };
}

function findNameEnd({ bytes, idBytes }: Unscanned, offset: number): number {
  const flags = bytes.readUInt16BE(offset + STAT_BYTES + idBytes);
  const start = offset + STAT_BYTES + idBytes + flagsBytes(flags);
  // Lengths that do not fit are given as the largest that does.
  const length = flags & NAME_LENGTH;
  return length < NAME_LENGTH ? start + length : findNul(bytes, start);
}

function nameStart(bytes: Buffer, offset: number, idBytes: number): number {
  const at = offset + STAT_BYTES + idBytes;
  return at + flagsBytes(bytes.readUInt16BE(at));
}

/** Extended flags are skip-worktree and intent-to-add, and only present when one of them is set. */
const flagsBytes = (flags: number): number => (flags & EXTENDED ? 4 : 2);

function findNul(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(0, from);
  if (found === -1) throw new RangeError('a name without an end');
  return found;
}

/** The variable-length numbers of pack files' offsets: each byte but the last adds one. */
function readVarint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } {
  let end = from;
  let byte = bytes.readUInt8(end++);
  let value = byte & 127;
  while (byte & 128) {
    byte = bytes.readUInt8(end++);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, end };
}

/** The paths of these entries, in ascending order, or of all. */
export function readPaths(index: IndexEntries, wanted?: readonly number[]): BytePath[] {
  if (index.version === 4) return readCompressedPaths(index, wanted);
  const { bytes, idBytes, offsets } = index;
  const count = wanted?.length ?? offsets.length;
  const paths = new Array<BytePath>(count);
  for (let at = 0; at < count; at++) {
    const offset = offsets[wanted ? (wanted[at] as number) : at] as number;
    paths[at] = bytes.toString('latin1', nameStart(bytes, offset, idBytes), findNameEnd(index, offset));
  }
  return paths;
}

function readCompressedPaths(index: IndexEntries, wanted?: readonly number[]): BytePath[] {
  const { bytes, idBytes, offsets, entriesEnd } = index;
  // The current path; none is longer than all names together.
  const path = Buffer.allocUnsafe(entriesEnd);
  let length = 0;
  const count = wanted?.length ?? offsets.length;
  const paths: BytePath[] = [];
  for (let entry = 0; paths.length < count; entry++) {
    const { value: stripped, end } = readVarint(bytes, nameStart(bytes, offsets[entry] as number, idBytes));
    length -= stripped;
    const nul = (offsets[entry + 1] ?? entriesEnd) - 1;
    // Byte by byte: names have few, and every call of a copying function costs more than they do.
    for (let at = end; at < nul; at++) path[length++] = bytes[at] as number;
    if (!wanted || wanted[paths.length] === entry) paths.push(path.toString('latin1', 0, length));
  }
  return paths;
}

/** One of `ENTRY_MODES`. */
export const entryMode = (index: IndexEntries, entry: number): number =>
  entryStat(index, entry, STAT_AT.mode);

/** A number of the stat data, by its offset in `STAT_AT`. */
export const entryStat = ({ bytes, offsets }: IndexEntries, entry: number, at: number): number =>
  bytes.readUInt32BE((offsets[entry] as number) + at);

/** The object id in hex. */
export function entryId({ bytes, offsets, idBytes }: IndexEntries, entry: number): string {
  const start = (offsets[entry] as number) + STAT_BYTES;
  return bytes.toString('hex', start, start + idBytes);
}

/** Its stat data and object id. */
export function entryBytes({ bytes, offsets, idBytes }: IndexEntries, entry: number): Buffer {
  const start = offsets[entry] as number;
  return bytes.subarray(start, start + STAT_BYTES + idBytes);
}

/** Whether it is a merged entry without assume-unchanged, skip-worktree or intent-to-add. */
export const isOrdinaryEntry = (index: IndexEntries, entry: number): boolean =>
  (index.bytes.readUInt16BE(flagsAt(index, entry)) & (ASSUME_UNCHANGED | EXTENDED | STAGE)) === 0;

/** Not a side of a conflict, and not intent-to-add. */
export const isMergedEntry = (index: IndexEntries, entry: number): boolean => {
  const at = flagsAt(index, entry);
  const flags = index.bytes.readUInt16BE(at);
  const isIntended = flags & EXTENDED && index.bytes.readUInt16BE(at + 2) & INTENT_TO_ADD;
  return (flags & STAGE) === 0 && !isIntended;
};

/** Whether git is set to ignore the file: assume-unchanged or skip-worktree. */
export const isHiddenEntry = (index: IndexEntries, entry: number): boolean => {
  const at = flagsAt(index, entry);
  const flags = index.bytes.readUInt16BE(at);
  const isSkipped = flags & EXTENDED && index.bytes.readUInt16BE(at + 2) & SKIP_WORKTREE;
  return Boolean(flags & ASSUME_UNCHANGED || isSkipped);
};

/** Whether it is a merged entry whose file git compares. */
export function isComparedByGit(index: IndexEntries, entry: number): boolean {
  const at = flagsAt(index, entry);
  const flags = index.bytes.readUInt16BE(at);
  const isSkipped = (flags & EXTENDED) !== 0 && (index.bytes.readUInt16BE(at + 2) & SKIP_WORKTREE) !== 0;
  return (flags & STAGE) === 0 && !isSkipped;
}

/**
 * Makes git compare the file in any case: no stat data, which never matches an unchanged file (a size of zero does not
 * count, see `ie_modified` in git's read-cache.c), and no assume-unchanged or skip-worktree bit.
 */
export function clearStat(index: IndexEntries, entry: number): void {
  const { bytes } = index;
  const offset = index.offsets[entry] as number;
  bytes.fill(0, offset, offset + STAT_AT.mode);
  bytes.fill(0, offset + STAT_AT.mode + 4, offset + STAT_BYTES);
  const at = flagsAt(index, entry);
  const flags = bytes.readUInt16BE(at);
  bytes.writeUInt16BE(flags & ~ASSUME_UNCHANGED, at);
  if (flags & EXTENDED) bytes.writeUInt16BE(0, at + 2);
}

/** Makes git compare the file with the entry: removes assume-unchanged and skip-worktree and nothing else. */
export function revealEntry(index: IndexEntries, entry: number): void {
  const { bytes } = index;
  const at = flagsAt(index, entry);
  const flags = bytes.readUInt16BE(at);
  bytes.writeUInt16BE(flags & ~ASSUME_UNCHANGED, at);
  if (flags & EXTENDED) bytes.writeUInt16BE(bytes.readUInt16BE(at + 2) & ~SKIP_WORKTREE, at + 2);
}

/** Its bits as git lists them: 0 for a merged entry, 1 to 3 for the sides of a conflict. */
export function entryFlags(index: IndexEntries, entry: number) {
  const at = flagsAt(index, entry);
  const flags = index.bytes.readUInt16BE(at);
  const more = flags & EXTENDED ? index.bytes.readUInt16BE(at + 2) : 0;
  return {
    stage: (flags & STAGE) >> 12,
    assumeUnchanged: (flags & ASSUME_UNCHANGED) !== 0,
    skipWorktree: (more & SKIP_WORKTREE) !== 0,
  };
}

const flagsAt = ({ offsets, idBytes }: IndexEntries, entry: number): number =>
  (offsets[entry] as number) + STAT_BYTES + idBytes;
