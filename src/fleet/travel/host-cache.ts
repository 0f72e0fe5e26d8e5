import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';
import { hashFile } from '../artifacts/blob-source.js';
import type { BlobOptions, BlobStore } from '../artifacts/blob-store.js';
import { type DownloadOptions, downloadBlob } from '../artifacts/download-blob.js';

/** Blobs on this host: each is downloaded once, checked, and shared by all attempts. */
export interface HostCache {
  /** The path of a blob's bytes, under the given name. Not to be changed. */
  file(hash: string, name?: string, options?: DownloadOptions): Promise<string>;
}

export function openHostCache(context: Pick<Context, 'places'>, store: BlobStore): HostCache {
  const root = join(context.places.cacheDir, 'fleet', 'blobs');
  const known = new Map<string, Promise<string>>();
  const bring = async (hash: string, name: string, options: DownloadOptions) => {
    const directory = join(root, hash);
    const file = join(directory, name);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Of an earlier process; a damaged one is fetched again.
    if ((await hashFile(file).catch(ignoreMissing)) === hash) return file;
    await rm(file, { force: true });
    await downloadBlob(store, hash, file, options);
    return file;
  };
  return {
    file: (hash, name = 'blob', options: BlobOptions = {}) => {
      const key = `${hash} ${name}`;
      const present = known.get(key);
      if (present) return present;
      const bringing = bring(hash, name, options);
      known.set(key, bringing);
      // The next caller tries again.
      bringing.catch(() => known.delete(key));
      return bringing;
    },
  };
}
