import type { BytePath } from '../../../git/byte-path.js';
import type { TreeEntry } from '../../../git/diff/tree-changes.js';

/** What is in a directory, by name. */
export type Tree = ReadonlyMap<BytePath, TreeEntry>;

/** `<mode> <name>` NUL and the bytes of an id, repeated. Modes as stored, which git's own lists normalize. */
export function parseTree(content: Buffer, idBytes: number): Tree {
  const tree = new Map<BytePath, TreeEntry>();
  for (let offset = 0; offset < content.length; ) {
    const space = content.indexOf(0x20, offset);
    const end = content.indexOf(0, space);
    if (space === -1 || end === -1) break;
    const id = content.toString('hex', end + 1, end + 1 + idBytes);
    tree.set(content.toString('latin1', space + 1, end), {
      mode: content.toString('latin1', offset, space),
      id,
    });
    offset = end + 1 + idBytes;
  }
  return tree;
}

/** Of the shortest entry: a mode, a blank, a letter, NUL, an id. */
const SHORTEST_ENTRY = 28;

export const mostEntries = (content: Buffer): number => content.length / SHORTEST_ENTRY;

export const DIRECTORY = '40000';
export const SYMLINK = '120000';
export const SUBMODULE = '160000';
export const MODES: ReadonlySet<string> = new Set(['100644', '100755', SYMLINK, DIRECTORY, SUBMODULE]);
