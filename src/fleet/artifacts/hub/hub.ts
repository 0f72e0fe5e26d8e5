import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { carrelError, ignoreMissing } from '../../../domain/error/error.js';
import { explainFullDisk } from '../../../git/disk/disk-full.js';
import { openBlobFiles } from '../directory/blob-files.js';
import { createQuota } from '../directory/quota.js';

export interface HubLimits {
  readonly quotaBytes?: number | undefined;
  /** Of one blob. */
  readonly mostBytes?: number | undefined;
}

/** A piece of an upload: the bytes from `start` on, of `total`. */
export interface Piece {
  readonly start: number;
  readonly length: number;
  readonly total: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** What the hub has of a blob. */
export type BlobState =
  | { readonly kind: 'whole'; readonly size: number }
  | { readonly kind: 'partial'; readonly offset: number }
  /** Another request writes to it, or the piece does not continue what is there. */
  | { readonly kind: 'conflict'; readonly offset: number };

/**
 * The blobs of a fleet in a directory of one server. An upload is a file that grows by pieces; bytes that arrived
 * before a connection broke stay, and any sender of the same blob continues with them. When it has all bytes it is
 * checked: wrong ones are removed, and the next sender begins again. The only part of a request that
 * becomes part of a path is a hash, which the caller has checked.
 */
export interface Hub {
  stateOf(hash: string): Promise<BlobState>;
  /** BLOB_TOO_LARGE, BLOB_QUOTA_REACHED, BLOB_CORRUPT, DISK_FULL. */
  append(hash: string, piece: Piece): Promise<BlobState>;
  /** Undefined when it is not there. */
  open(hash: string, from: number): Promise<{ readonly size: number; readonly body: Readable } | undefined>;
}

const MOST_BYTES = 8 * 1024 ** 3;
const PARTIAL = 'partial';

export function openHub(root: string, { quotaBytes, mostBytes = MOST_BYTES }: HubLimits = {}): Hub {
  const where = 'the hub';
  const files = openBlobFiles(root, where);
  const quota = createQuota(files, where, quotaBytes);
  const writing = new Set<string>();
  const partialOf = (hash: string) => join(root, PARTIAL, hash);
  const stateOf = async (hash: string): Promise<BlobState> => {
    const size = await files.renew(hash);
    if (size !== undefined) return { kind: 'whole', size };
    return { kind: 'partial', offset: (await stat(partialOf(hash)).catch(ignoreMissing))?.size ?? 0 };
  };
  const extend = async (hash: string, piece: Piece): Promise<BlobState> => {
    const state = await stateOf(hash);
    if (state.kind !== 'partial') return state;
    if (state.offset !== piece.start) return { kind: 'conflict', offset: state.offset };
    const room = await quota.reserve(piece.total - piece.start);
    try {
      await mkdir(join(root, PARTIAL), { recursive: true, mode: 0o700 });
      await write(partialOf(hash), piece);
      const { size } = await stat(partialOf(hash));
      if (size === piece.total) await files.admit(hash, partialOf(hash));
    } catch (error) {
      throw await explainFullDisk(error, [root]);
    } finally {
      room.end();
    }
    return stateOf(hash);
  };
  return {
    stateOf,
    append: async (hash, piece) => {
      if (piece.total > mostBytes)
        throw carrelError('BLOB_TOO_LARGE', {
          what: `the blob ${hash}`,
          bytes: piece.total,
          limitBytes: mostBytes,
        });
      if (writing.has(hash)) return { kind: 'conflict', offset: 0 };
      writing.add(hash);
      try {
        return await extend(hash, piece);
      } finally {
        writing.delete(hash);
      }
    },
    open: async (hash, from) => {
      const size = await files.sizeOf(hash);
      if (size === undefined) return undefined;
      const body = from >= size ? Readable.from([]) : createReadStream(files.fileOf(hash), { start: from });
      return { size, body };
    },
  };
}

/** Never more bytes than announced. What arrived before an interruption is kept; a sender that sends more loses it. */
async function write(file: string, { body, length, start }: Piece): Promise<void> {
  let received = 0;
  const limited = async function* () {
    for await (const chunk of body) {
      received += chunk.length;
      if (received > length) throw carrelError('BODY_TOO_LARGE', { limitBytes: length });
      yield chunk;
    }
  };
  try {
    await pipeline(limited, createWriteStream(file, { flags: start === 0 ? 'w' : 'a', mode: 0o600 }));
  } catch (error) {
    if (received > length) await rm(file, { force: true });
    throw error;
  }
}
