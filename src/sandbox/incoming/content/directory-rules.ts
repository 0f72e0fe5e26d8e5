import type { BytePath } from '../../../git/byte-path.js';
import { foldName } from './path-rules.js';
import type { Tree } from './tree-object.js';

/** New names that are the same on some file system; with all spellings. */
export function findNewTwins(tree: Tree, before: readonly Tree[]): BytePath[][] {
  const isNew = (names: readonly BytePath[]) => !before.some(other => names.every(name => other.has(name)));
  return isNew([...tree.keys()]) ? findTwins(tree).filter(isNew) : [];
}

function findTwins(tree: Tree): BytePath[][] {
  const first = new Map<string, BytePath>();
  const twins = new Map<string, BytePath[]>();
  for (const name of tree.keys()) {
    const folded = foldName(name);
    const other = first.get(folded);
    if (other === undefined) first.set(folded, name);
    else twins.set(folded, [...(twins.get(folded) ?? [other]), name]);
  }
  return [...twins.values()];
}

/**
 * Whether git would treat the directory as a bare repository and obey its configuration when run there: HEAD with objects
 * and refs, or with a file that says where those are. Not when it was one before.
 */
export const isNewRepository = (tree: Tree, before: readonly Tree[]): boolean =>
  isRepository(tree) && !before.some(isRepository);

function isRepository(tree: Tree): boolean {
  const found = new Set<string>();
  for (const name of tree.keys()) if (PARTS.test(name)) found.add(name.toLowerCase());
  return found.has('head') && (found.has('commondir') || (found.has('objects') && found.has('refs')));
}

const PARTS = /^(head|objects|refs|commondir)$/i;
