import { join } from 'node:path';
import type { BytePath } from '../byte-path.js';
import { isMergedEntry, readPaths } from './git-index-entries.js';
import { loadAnyIndex } from './unseen-edits.js';

/** Those of the paths that an index has, read without git; undefined when only git can read it. */
export function findIndexed(gitDir: string, paths: readonly BytePath[]): ReadonlySet<BytePath> | undefined {
  const index = loadAnyIndex(join(gitDir, 'index'));
  if ('unusable' in index) return undefined;
  const wanted = new Set(paths);
  return new Set(readPaths(index).filter((path, entry) => wanted.has(path) && isMergedEntry(index, entry)));
}
