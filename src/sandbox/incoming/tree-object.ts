import type { BytePath } from '../../git/byte-path.js';

/** The names in a tree object: `<mode> <name>` NUL and the bytes of an id, again and again. */
export function listTreeNames(tree: Buffer, idBytes: number): BytePath[] {
  const names: BytePath[] = [];
  for (let offset = 0; offset < tree.length; ) {
    const space = tree.indexOf(0x20, offset);
    const end = tree.indexOf(0, space);
    if (space === -1 || end === -1) break;
    names.push(tree.toString('latin1', space + 1, end));
    offset = end + 1 + idBytes;
  }
  return names;
}
