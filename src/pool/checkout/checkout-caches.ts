import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { type BytePath, displayPath, toBytePath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { entryId } from '../../git/index/git-index-entries.js';
import type { LoadedIndex } from '../../git/index/git-index-file.js';
import { candidatePaths, digestFor, type FindId } from '../slot/kept-caches.js';
import { gitIn } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import type { CacheDigests } from '../slot-files.js';

/**
 * The ignored caches of a lease that may stay: their inputs match the commit, so
 * they were not made from changes that are gone now.
 */
export function chooseCaches(
  caches: readonly BytePath[],
  changed: readonly BytePath[],
  index: LoadedIndex,
): CacheDigests {
  if (caches.length === 0) return {};
  const isChanged = new Set(changed);
  const findId = findInIndex(index);
  const fitting = caches.filter(cache => !candidatePaths(cache).some(path => isChanged.has(path)));
  return Object.fromEntries(fitting.map(cache => [displayPath(cache), digestFor(cache, findId)]));
}

function findInIndex(index: LoadedIndex): FindId {
  const entries = new Map(index.paths.map((path, entry) => [path, entry]));
  return path => {
    const entry = entries.get(path);
    return entry === undefined ? undefined : entryId(index, entry);
  };
}

/** Moves the caches of a slot that do not fit another commit out of the work tree; gives those that stay. */
export async function removeStaleCaches(
  git: Git,
  slot: SlotRecord,
  commit: string,
  aside: string,
): Promise<CacheDigests> {
  const caches = Object.entries(slot.caches);
  if (caches.length === 0) return slot.caches;
  const findId = await findInCommit(git, slot, commit, Object.keys(slot.caches).map(toBytePath));
  const isStale = ([cache, digest]: [string, string]) =>
    findId(toBytePath(cache)) !== undefined || digestFor(toBytePath(cache), findId) !== digest;
  for (const [cache] of caches.filter(isStale)) await moveCache(slot, cache, aside);
  return Object.fromEntries(caches.filter(cache => !isStale(cache)));
}

async function findInCommit(
  git: Git,
  slot: SlotRecord,
  commit: string,
  caches: readonly BytePath[],
): Promise<FindId> {
  const paths = caches.flatMap(cache => [cache, ...candidatePaths(cache)]).map(displayPath);
  const rows = await git.records(['ls-tree', '-z', commit, '--', ...paths], gitIn(slot.directory));
  const ids = new Map(rows.map(row => [row.slice(row.indexOf('\t') + 1), row.split(/[ \t]/)[2]]));
  return path => ids.get(path);
}

async function moveCache(slot: SlotRecord, cache: string, aside: string): Promise<void> {
  const target = join(aside, 'tree', cache);
  await mkdir(dirname(target), { recursive: true });
  await rename(join(slotPlace(slot.directory).workTree, cache), target);
}
