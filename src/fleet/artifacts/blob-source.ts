import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { carrelError } from '../../domain/error/error.js';
import type { BlobSource } from './blob-store.js';

export const hashBytes = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Without reading all of it into memory. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

export const bytesSource = (bytes: Buffer): BlobSource => ({
  size: bytes.length,
  // One chunk: `from` of a Buffer would give its numbers.
  open: (start, end) => Readable.from([bytes.subarray(start, end)]),
});

export async function fileSource(file: string): Promise<BlobSource> {
  const { size } = await stat(file);
  // An empty range cannot be expressed by `end`, which is inclusive.
  const open = (start: number, end: number) =>
    start >= end ? Readable.from([]) : createReadStream(file, { start, end: end - 1 });
  return { size, open };
}

/** Before anything is sent: a caller that is wrong about a hash must not fill the store. BLOB_CORRUPT. */
export async function requireHash(hash: string, source: BlobSource): Promise<void> {
  const found = createHash('sha256');
  for await (const chunk of source.open(0, source.size)) found.update(chunk as Buffer);
  const actual = found.digest('hex');
  if (actual !== hash) throw carrelError('BLOB_CORRUPT', { hash, where: 'the sender', found: actual });
}
