import type { BytePath } from '../../git/byte-path.js';
import { foldName } from './names.js';

/** Names in a directory that are one and the same on some file system; each with all of its spellings. */
export function findTwins(names: readonly BytePath[]): BytePath[][] {
  const first = new Map<string, BytePath>();
  const twins = new Map<string, BytePath[]>();
  for (const name of names) {
    const folded = foldName(name);
    const other = first.get(folded);
    if (other === undefined) first.set(folded, name);
    else twins.set(folded, [...(twins.get(folded) ?? [other]), name]);
  }
  return [...twins.values()];
}

/**
 * Whether git would take the directory for a repository without a work tree, and obey its configuration when somebody
 * calls it there: HEAD with objects and refs, or with a file that says where those are.
 */
export function isGitDirectory(names: readonly BytePath[]): boolean {
  const folded = new Set(names.filter(name => name.length <= LONGEST).map(foldName));
  return folded.has('head') && (folded.has('commondir') || (folded.has('objects') && folded.has('refs')));
}

/** Of the names that it looks for, with room for characters that are not seen. */
const LONGEST = 64;
