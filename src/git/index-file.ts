import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { BytePath } from './byte-path.js';

/**
 * git's index (gitformat-index(5)), for one purpose: to carry one over to a copy of its files by giving each entry the
 * stat data of the copy, without hashing a file. Entries stay where they are in the bytes; only stat data is replaced.
 */
export interface IndexFile {
  /** As read, but for replaced stat data. */
  readonly bytes: Buffer;
  /** Where each entry begins, which is where its stat data is. */
  readonly offsets: Uint32Array;
  readonly paths: readonly BytePath[];
  /** 20 for SHA-1, 32 for SHA-256. */
  readonly idBytes: number;
  readonly entriesEnd: number;
  /** The cache-tree extension, head and all: the ids of directories, which are about entries and not about files. */
  readonly cacheTree: Buffer;
}

/** An index that can't be carried over, with the reason in words. */
export interface UnusableIndex {
  readonly unusable: string;
}

const HEADER_BYTES = 12;
/** ctime, mtime, dev, ino, mode, uid, gid, size. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
const ASSUME_UNCHANGED = 0x8000;
const NAME_LENGTH = 0x0fff;

/** An index with the time of its file, in nanoseconds. */
export interface LoadedIndex extends IndexFile {
  readonly writtenAt: bigint;
}

export async function loadIndex(file: string, idBytes: number): Promise<LoadedIndex | UnusableIndex> {
  // Its time first: when git replaces it between the two calls, more files are racy then, and not fewer.
  const info = await stat(file, { bigint: true }).catch(() => undefined);
  if (!info) return { unusable: 'there is no index' };
  const index = parseIndex(await readFile(file), idBytes);
  return 'unusable' in index ? index : { ...index, writtenAt: info.mtimeNs };
}

/** Takes the bytes over: they are changed by `putStat`. Versions 2, 3 and 4. */
export function parseIndex(bytes: Buffer, idBytes: number): IndexFile | UnusableIndex {
  if (bytes.length < HEADER_BYTES + idBytes || bytes.toString('latin1', 0, 4) !== 'DIRC')
    return { unusable: 'the index is not one' };
  if (!hasRightChecksum(bytes, idBytes)) return { unusable: 'the index is damaged' };
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return { unusable: `the index has version ${version}` };
  try {
    const entries = parseEntries(bytes, idBytes, version);
    const extensions = parseExtensions(bytes, entries.entriesEnd, bytes.length - idBytes);
    return 'unusable' in extensions ? extensions : { bytes, idBytes, ...entries, ...extensions };
  } catch (error) {
    // A length that leads beyond the end, under a checksum that is right.
    if (error instanceof RangeError) return { unusable: 'the index is damaged' };
    throw error;
  }
}

/** The index with its present stat data, without what was only true of the old files, and with a right checksum. */
export function formatIndex(index: IndexFile): Buffer {
  const content = Buffer.concat([index.bytes.subarray(0, index.entriesEnd), index.cacheTree]);
  return Buffer.concat([content, checksum(content, index.idBytes)]);
}

/** `100644`, `100755`, `120000` or `160000`, as a number. */
export const entryMode = (index: IndexFile, entry: number): number =>
  index.bytes.readUInt32BE((index.offsets[entry] as number) + MODE_AT);

/** The object id in hex. */
export function entryId(index: IndexFile, entry: number): string {
  const start = (index.offsets[entry] as number) + STAT_BYTES;
  return index.bytes.toString('hex', start, start + index.idBytes);
}

/** Whether it is a settled entry without bits that make git look away from the file, or that promise one for later. */
export function isOrdinaryEntry(index: IndexFile, entry: number): boolean {
  // Extended flags are skip-worktree and intent-to-add, and only there when one of them is set.
  return (index.bytes.readUInt16BE(flagsAt(index, entry)) & (ASSUME_UNCHANGED | EXTENDED | STAGE)) === 0;
}

/**
 * Makes git look at the file whatever it finds there: no stat data, which never passes for that of an unchanged file
 * (a size of zero does not count, see `ie_modified` in git's read-cache.c), and none of the bits that make it look away.
 */
export function forgetFile(index: IndexFile, entry: number): void {
  const { bytes } = index;
  const offset = index.offsets[entry] as number;
  bytes.fill(0, offset, offset + MODE_AT);
  bytes.fill(0, offset + MODE_AT + 4, offset + STAT_BYTES);
  const at = flagsAt(index, entry);
  const flags = bytes.readUInt16BE(at);
  bytes.writeUInt16BE(flags & ~ASSUME_UNCHANGED, at);
  if (flags & EXTENDED) bytes.writeUInt16BE(0, at + 2);
}

const flagsAt = (index: IndexFile, entry: number): number =>
  (index.offsets[entry] as number) + STAT_BYTES + index.idBytes;

/** `index.skipHash` (git 2.40) leaves zeros instead of a checksum. */
function hasRightChecksum(bytes: Buffer, idBytes: number): boolean {
  const end = bytes.length - idBytes;
  const found = bytes.subarray(end);
  return found.every(byte => byte === 0) || checksum(bytes.subarray(0, end), idBytes).equals(found);
}

const checksum = (content: Buffer, idBytes: number): Buffer =>
  createHash(idBytes === 32 ? 'sha256' : 'sha1')
    .update(content)
    .digest();

type Entries = Pick<IndexFile, 'offsets' | 'paths' | 'entriesEnd'>;

function parseEntries(bytes: Buffer, idBytes: number, version: number): Entries {
  const count = bytes.readUInt32BE(8);
  // Every entry is longer than its stat data, so a count beyond this is a lie.
  if (count * STAT_BYTES > bytes.length) throw new RangeError('more entries than bytes');
  const offsets = new Uint32Array(count);
  const paths = new Array<BytePath>(count);
  let offset = HEADER_BYTES;
  let path = '';
  for (let entry = 0; entry < count; entry++) {
    offsets[entry] = offset;
    const flags = bytes.readUInt16BE(offset + STAT_BYTES + idBytes);
    const start = offset + STAT_BYTES + idBytes + (flags & EXTENDED ? 4 : 2);
    if (version === 4) {
      const stripped = readVarint(bytes, start);
      const end = findNul(bytes, stripped.end);
      path = path.slice(0, path.length - stripped.value) + bytes.toString('latin1', stripped.end, end);
      offset = end + 1;
    } else {
      // Lengths that do not fit are given as the largest that does.
      const length = flags & NAME_LENGTH;
      const end = length < NAME_LENGTH ? start + length : findNul(bytes, start);
      path = bytes.toString('latin1', start, end);
      // One to eight NULs, so that the next entry begins at a multiple of eight from this one.
      offset += (end - offset + 8) & ~7;
    }
    paths[entry] = path;
  }
  return { offsets, paths, entriesEnd: offset };
}

function findNul(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(0, from);
  if (found === -1) throw new RangeError('a path without an end');
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

/**
 * git marks extensions that may be ignored with a capital letter. Of those only the cache tree is kept: the untracked
 * cache (UNTR) and the file system monitor (FSMN) speak of the old directories, and the tables of offsets (EOIE, IEOT) of
 * extensions that may not follow any more. The others are a split index (`link`), whose entries are in another file, and
 * a sparse one (`sdir`), whose entries may be directories.
 */
function parseExtensions(
  bytes: Buffer,
  from: number,
  end: number,
): Pick<IndexFile, 'cacheTree'> | UnusableIndex {
  let cacheTree: Buffer = Buffer.alloc(0);
  for (let offset = from; offset < end; ) {
    const name = bytes.toString('latin1', offset, offset + 4);
    const next = offset + 8 + bytes.readUInt32BE(offset + 4);
    if (next > end) throw new RangeError('an extension beyond the end');
    if (!/^[A-Z]/.test(name)) return { unusable: `the index has the extension ${name}` };
    if (name === 'TREE') cacheTree = bytes.subarray(offset, next);
    offset = next;
  }
  return { cacheTree };
}
