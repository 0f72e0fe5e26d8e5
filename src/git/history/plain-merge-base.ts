import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSmallFile } from '../files/small-file.js';
import { readLooseCommit } from '../objects/loose-objects.js';
import { findCommonDir, readPlainHead, readPlainRef } from '../refs/plain-refs.js';

/**
 * The merge base of HEAD and a commit where one of the two is an ancestor of the other, as for a workspace whose base has
 * not moved or that has no commits yet. Undefined in all other cases, and when the commits in between are many or packed:
 * then git has to be asked.
 */
export function findPlainMergeBase(gitDir: string, commit: string): string | undefined {
  const store = findCommonDir(gitDir);
  const head = readPlainHead(gitDir);
  const tip = head?.id ?? (head ? readPlainRef(gitDir, head.ref) : undefined);
  if (!tip || store === undefined) return undefined;
  if (tip === commit || isPlainAncestor(store, commit, tip)) return commit;
  return isPlainAncestor(store, tip, commit) ? tip : undefined;
}

/**
 * How many commits a line without merges has from `ancestor` up to `descendant`; undefined when there is no such line, when
 * it is long, or when the files do not show it: then git has to be asked.
 */
export function countPlainCommits(store: string, ancestor: string, descendant: string): number | undefined {
  if (hasOtherParents(store)) return undefined;
  let commit = descendant;
  for (let count = 0; count <= MOST_COMMITS; count++) {
    if (commit === ancestor) return count;
    const [parent, ...more] = readLooseCommit(store, commit)?.parents ?? [];
    if (parent === undefined || more.length > 0) return undefined;
    commit = parent;
  }
  return undefined;
}

/** Whether git may know other parents than the commits themselves have: grafts and replacements. */
function hasOtherParents(store: string): boolean {
  if (existsSync(join(store, 'info', 'grafts')) || existsSync(join(store, 'refs', 'replace'))) return true;
  const packed = readSmallFile(join(store, 'packed-refs'), MOST_BYTES);
  return packed === undefined || packed?.includes(' refs/replace/') === true;
}

const MOST_BYTES = 256 * 1024;

/** More than this is quicker asked of git. */
const MOST_COMMITS = 30;

/** False when it is not, or when the files do not show it. */
function isPlainAncestor(store: string, ancestor: string, descendant: string): boolean {
  const seen = new Set([descendant]);
  for (const id of seen) {
    const parents = seen.size > MOST_COMMITS ? undefined : readLooseCommit(store, id)?.parents;
    if (!parents) return false;
    if (parents.includes(ancestor)) return true;
    for (const parent of parents) seen.add(parent);
  }
  return false;
}
