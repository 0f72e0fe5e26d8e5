import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import type { BytePath } from '../byte-path.js';
import { type IndexEntries, readPaths, scanEntries } from './git-index-entries.js';

/**
 * git's index (gitformat-index(5)), read without git: 80,000 entries in a tenth of the time that it takes to start git and
 * read its list. Only stat data is ever changed in it, so that it can be used with a copy of its files without hashing any.
 */
export interface IndexFile extends IndexEntries {
  /** Optional extensions by name, each with its header. */
  readonly extensions: ReadonlyMap<string, Buffer>;
}

/** An index that can't be used, with the reason as text. */
export interface UnusableIndex {
  readonly unusable: string;
}

/** An index with the time that its file was written at. git compares whole seconds. */
export interface DatedIndex extends IndexFile {
  readonly writtenAt: number;
  /** Nanoseconds within that second. */
  readonly writtenAtNanoseconds: number;
}

/** With the paths of all entries, which take as long to build as everything else. */
export interface LoadedIndex extends DatedIndex {
  readonly paths: readonly BytePath[];
}

export function loadIndex(file: string, idBytes: number): LoadedIndex | UnusableIndex {
  const index = loadDatedIndex(file, idBytes);
  return 'unusable' in index ? index : { ...index, paths: readPaths(index) };
}

export function loadDatedIndex(file: string, idBytes: number): DatedIndex | UnusableIndex {
  try {
    // Its time first: when git replaces it between the two calls, more files are racy then, and not fewer.
    // As a whole number: rounding up would make it a second newer.
    const { mtimeNs } = statSync(file, { bigint: true });
    const writtenAt = Number(mtimeNs / 1_000_000_000n);
    const index = parseIndex(readFileSync(file), idBytes);
    return 'unusable' in index
      ? index
      : { ...index, writtenAt, writtenAtNanoseconds: Number(mtimeNs % 1_000_000_000n) };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return { unusable: errno === 'ENOENT' ? 'there is no index' : `the index can't be read (${errno})` };
  }
}

/** `DIRC`, the version, the number of entries. */
const HEADER_BYTES = 12;

/** Without reading more than the header; 0 when there is no index. */
export async function countIndexEntries(file: string): Promise<number> {
  const handle = await open(file).catch(ignoreMissing);
  if (!handle) return 0;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return bytesRead === HEADER_BYTES ? buffer.readUInt32BE(8) : 0;
  } finally {
    await handle.close();
  }
}

/** Takes ownership of the bytes: they are changed by `putStat` and `clearStat`. Versions 2, 3 and 4. */
export function parseIndex(bytes: Buffer, idBytes: number): IndexFile | UnusableIndex {
  const end = bytes.length - idBytes;
  if (end < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'DIRC')
    return { unusable: 'the file is not an index' };
  if (!hasRightChecksum(bytes, idBytes)) return { unusable: 'the index is damaged' };
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return { unusable: `the index has version ${version}` };
  try {
    const entries = scanEntries({ bytes, version, idBytes }, bytes.readUInt32BE(8), HEADER_BYTES, end);
    const extensions = scanExtensions(bytes, entries.entriesEnd, end);
    return 'unusable' in extensions ? extensions : { ...entries, extensions };
  } catch (error) {
    // A length beyond the end despite a correct checksum.
    if (error instanceof RangeError) return { unusable: 'the index is damaged' };
    throw error;
  }
}

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

/**
 * git marks extensions that may be ignored with a capital letter. The others are a split index (`link`), whose entries
 * are in another file, and a sparse one (`sdir`), whose entries may be directories.
 */
function scanExtensions(bytes: Buffer, from: number, end: number): Map<string, Buffer> | UnusableIndex {
  const extensions = new Map<string, Buffer>();
  for (let offset = from; offset < end; ) {
    const name = bytes.toString('latin1', offset, offset + 4);
    const next = offset + EXTENSION_HEAD_BYTES + bytes.readUInt32BE(offset + 4);
    if (next > end) throw new RangeError('an extension beyond the end');
    if (!/^[A-Z]/.test(name)) return { unusable: `the index has the extension ${name}` };
    extensions.set(name, bytes.subarray(offset, next));
    offset = next;
  }
  return extensions;
}

/** Its name and its length. */
const EXTENSION_HEAD_BYTES = 8;
const CACHE_TREE = 'TREE';

/**
 * The id of the tree that the index would be written as, which git drops when an entry changes. The cache tree
 * begins with it: an empty name, NUL, `<entries> <subtrees>` and a line break, the id; -1 entries when it is not known.
 */
export function findTreeId({ extensions, idBytes }: IndexFile): string | undefined {
  const root = extensions.get(CACHE_TREE)?.subarray(EXTENSION_HEAD_BYTES);
  const id = (root?.indexOf('\n') ?? -1) + 1;
  const isKnown = root && /^\0\d+ \d+\n$/.test(root.toString('latin1', 0, id));
  return isKnown ? root.toString('hex', id, id + idBytes) : undefined;
}

/**
 * The index with its current stat data and a correct checksum. Of the extensions only the cached tree ids are kept: the
 * untracked cache (UNTR) and the file system monitor (FSMN) describe the old files, and the offset tables (EOIE, IEOT) are
 * no longer valid.
 */
export function formatIndex({ bytes, idBytes, entriesEnd, extensions }: IndexFile): Buffer {
  const cacheTree = extensions.get(CACHE_TREE) ?? Buffer.alloc(0);
  const content = Buffer.concat([bytes.subarray(0, entriesEnd), cacheTree]);
  return Buffer.concat([content, checksum(content, idBytes)]);
}
