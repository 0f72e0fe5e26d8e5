import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { BytePath } from '../byte-path.js';
import { readDirectory } from './read-directory.js';

/**
 * A digest of everything below a directory, without reading a file: names, kinds, modes, sizes, inodes and the times
 * of change. No program can set that time, and every write, rename and change of mode does, so as long as the digest is
 * the same every file is as it was. The converse is not true: a copy elsewhere has another digest.
 */
export async function hashListing(root: string, directory: BytePath): Promise<string> {
  const hash = createHash('sha256');
  const pending = [directory];
  for (let inner = pending.pop(); inner !== undefined; inner = pending.pop()) {
    for (const { path, stats } of readDirectory(root, inner)) {
      if (stats.isDirectory()) pending.push(path);
      // A directory's time only shows that entries were added or removed, which the names show too.
      const details = stats.isDirectory() ? [] : [stats.ino, stats.size, stats.ctimeMs];
      hash.update(`${[path, stats.mode, ...details].join('\0')}\0\n`);
    }
    // Yields between directories.
    await setImmediate();
  }
  return hash.digest('hex');
}
