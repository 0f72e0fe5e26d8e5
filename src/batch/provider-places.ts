import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../operations/context.js';
import { keptFilesDirectory } from '../operations/kept-files.js';

/** Where evaluation keeps its own files, all below one directory of the cache. */
export interface EvalPlaces {
  readonly root: string;
  /** One bare repository for each url. */
  readonly mirrors: string;
  readonly bases: string;
  /** What running providers have: one directory each, with its owner. */
  readonly desks: string;
  /** Files of attempts that somebody asked to keep. */
  readonly kept: string;
}

/** Makes them where they are missing. Commands and their users must not be able to look into each other's caches. */
export async function makeEvalPlaces({ places }: Pick<Context, 'places'>): Promise<EvalPlaces> {
  const root = join(places.cacheDir, 'eval');
  const found = {
    root,
    mirrors: join(root, 'mirrors'),
    bases: join(root, 'bases'),
    desks: join(root, 'desks'),
    kept: keptFilesDirectory(places),
  };
  for (const directory of Object.values(found)) await mkdir(directory, { recursive: true, mode: 0o700 });
  return found;
}
