import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import { hashFile } from './blob-source.js';
import type { BlobOptions, BlobStore } from './blob-store.js';
import { PATIENCE_MS, TemporaryFailure, untilDeadline } from './patience.js';

export interface DownloadOptions extends BlobOptions {
  /** More bytes are refused: BLOB_TOO_LARGE. */
  readonly limitBytes?: number | undefined;
}

/**
 * Writes a blob to a file, which exists afterwards only with the right bytes. A broken download continues where it
 * stopped, until the deadline; half a file of a call that failed is removed. BLOB_CORRUPT, BLOB_MISSING.
 */
export async function downloadBlob(
  store: BlobStore,
  hash: string,
  file: string,
  options: DownloadOptions = {},
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Two downloads of one blob must not write to the same file.
  const draft = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    await untilDeadline({ ...options, where: store.name, patienceMs: PATIENCE_MS }, signal =>
      fetchRest(store, hash, draft, { ...options, signal }),
    );
    const found = await hashFile(draft);
    if (found !== hash) throw carrelError('BLOB_CORRUPT', { hash, where: store.name, found });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

async function fetchRest(
  store: BlobStore,
  hash: string,
  draft: string,
  { signal, deadline, limitBytes }: DownloadOptions,
): Promise<void> {
  const from = (await stat(draft).catch(ignoreMissing))?.size ?? 0;
  const body = await store.get(hash, { from, signal, deadline });
  let written = from;
  try {
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          written += chunk.length;
          if (limitBytes !== undefined && written > limitBytes)
            throw carrelError('BLOB_TOO_LARGE', { what: `the blob ${hash}`, bytes: written, limitBytes });
          yield chunk;
        }
      },
      createWriteStream(draft, { flags: 'a', mode: 0o600 }),
      { signal },
    );
  } catch (error) {
    throw isBroken(error) ? new TemporaryFailure(`the download stopped after ${written} bytes`) : error;
  }
}

/** The connection, not the disk: a file that cannot be written is no better the next time. */
const isBroken = (error: unknown): boolean =>
  error instanceof TemporaryFailure ||
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'ESTALE', 'EIO'].includes(
    String((error as NodeJS.ErrnoException).code),
  );
