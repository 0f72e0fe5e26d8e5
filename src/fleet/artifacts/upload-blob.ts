import { bytesSource, fileSource, hashBytes, hashFile } from './blob-source.js';
import type { BlobOptions, BlobStore } from './blob-store.js';

/** Stores bytes under their hash, and returns it. */
export async function uploadBytes(store: BlobStore, bytes: Buffer, options?: BlobOptions): Promise<string> {
  const hash = hashBytes(bytes);
  await store.put(hash, bytesSource(bytes), options);
  return hash;
}

/** The same for a file of any size. */
export async function uploadFile(store: BlobStore, file: string, options?: BlobOptions): Promise<string> {
  const hash = await hashFile(file);
  await store.put(hash, await fileSource(file), options);
  return hash;
}
