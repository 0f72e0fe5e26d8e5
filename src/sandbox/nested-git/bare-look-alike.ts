import type { Dirent } from 'node:fs';
import type { BytePath } from '../../git/byte-path.js';

/**
 * The entries of a directory that make git treat it as a bare repository: every spelling of HEAD, when it comes with
 * objects and refs, or with a file that says where those are. A HEAD that is a directory does not count.
 */
export function findHeads(entries: readonly Dirent[]): BytePath[] {
  const parts = entries.filter(({ name }) => PARTS.test(name));
  if (parts.length < 2) return [];
  const names = new Set(parts.map(({ name }) => name.toLowerCase()));
  const isBare = names.has('commondir') || (names.has('objects') && names.has('refs'));
  const heads = parts.filter(entry => entry.name.toLowerCase() === 'head' && !entry.isDirectory());
  return isBare ? heads.map(({ name }) => name) : [];
}

const PARTS = /^(head|objects|refs|commondir)$/i;
