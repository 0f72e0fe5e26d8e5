import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { batchDirectories } from '../../operations/batch/batch-directories.js';
import { keptFilesDirectory } from '../../operations/cleanup/expire-kept-files.js';
import type { Context } from '../../operations/context.js';

/** Where evaluation keeps its own files, all in one directory of the cache. */
export interface EvalPlaces {
  readonly root: string;
  /** One bare repository per URL. */
  readonly mirrors: string;
  readonly bases: string;
  /** One directory per running provider, with its owner. */
  readonly batchDirectories: string;
  /** Files of attempts that the user chose to keep. */
  readonly kept: string;
}

/** Creates the missing ones. Users must not be able to read each other's caches. */
export async function makeEvalPlaces({ places }: Pick<Context, 'places'>): Promise<EvalPlaces> {
  const root = join(places.cacheDir, 'eval');
  const found = {
    root,
    mirrors: join(root, 'mirrors'),
    bases: join(root, 'bases'),
    batchDirectories: batchDirectories(places),
    kept: keptFilesDirectory(places),
  };
  for (const directory of Object.values(found)) await mkdir(directory, { recursive: true, mode: 0o700 });
  return found;
}
