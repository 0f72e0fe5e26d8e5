import { type BigIntStats, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BytePath } from '../../git/byte-path.js';
import { toFsPath } from '../../git/byte-path.js';

/**
 * The times at which the own entries of a clean upper layer were last changed: itself, `.git`, and the directories above
 * the kept caches. Whatever is written anywhere in the overlay makes or changes an entry in one of them.
 */
export function sealUpper(upper: string, caches: readonly BytePath[]): string {
  return JSON.stringify(sealedPaths(caches).map(path => [path, sealFile(placeOf(upper, path))]));
}

/** Which file it is and when it was last changed in any way: only the kernel sets that time. Null without one. */
export function sealFile(path: string | Buffer): string | null {
  const info: BigIntStats | undefined = lstatSync(path, {
    bigint: true,
    throwIfNoEntry: false,
  });
  return info ? `${info.ino} ${info.mode} ${info.ctimeNs}` : null;
}

const sealedPaths = (caches: readonly BytePath[]): BytePath[] => ['', '.git', ...parentsOf(caches)].sort();

function parentsOf(caches: readonly BytePath[]): BytePath[] {
  const parents = caches.flatMap(cache => {
    const parts = cache.split('/').slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  });
  return [...new Set(parents)];
}

/** Something in the upper layer that is neither `.git` nor a kept cache nor the way to one; undefined when nothing is. */
export function findForeignEntry(upper: string, caches: readonly BytePath[]): BytePath | undefined {
  if (!existsSync(upper)) return undefined;
  const parents = new Set(parentsOf(caches));
  const pending: BytePath[] = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of readdirSync(placeOf(upper, directory), { withFileTypes: true, encoding: 'latin1' })) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (path === '.git' && entry.isFile()) continue;
      if (caches.includes(path) && entry.isDirectory()) continue;
      if (!parents.has(path) || !entry.isDirectory()) return path;
      pending.push(path);
    }
  }
  return undefined;
}

/** `upper/` would follow a link at the top. */
const placeOf = (upper: string, path: BytePath) => (path === '' ? join(upper) : toFsPath(upper, path));
