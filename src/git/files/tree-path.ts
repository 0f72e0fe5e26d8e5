import type { BytePath } from '../byte-path.js';

/**
 * Paths below Carrel's own folders of a snapshot. git refuses some names in its trees (`.git`, and on some systems what
 * their file systems treat as `.git`) and gives others a meaning (`.gitmodules`), so these are escaped.
 */
export function escapePath(path: BytePath): BytePath {
  return path.split('/').map(escapeName).join('/');
}

export function unescapePath(path: BytePath): BytePath {
  return path.replaceAll(/%([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Whether git accepts the path in a tree unchanged. */
export function isPlainPath(path: BytePath): boolean {
  return !path.split('/').some(looksLikeDotGit);
}

function escapeName(name: string): string {
  const escaped = name.replaceAll('%', '%25');
  return isSpecialToGit(name) ? `%${hex(escaped)}${escaped.slice(1)}` : escaped;
}

const hex = (name: string): string => name.charCodeAt(0).toString(16).padStart(2, '0');

/** `.git`, `.gitmodules` and the like, and the short names that NTFS gives them. */
const isSpecialToGit = (name: string): boolean => /^(\.git|git[a-z0-9]*~)/i.test(withoutInvisible(name));

/** `.git` on file systems that ignore case, trailing spaces and dots, streams, or invisible characters. */
const looksLikeDotGit = (name: string): boolean =>
  /^(\.git|git~\d+)[ .]*($|[:\\])/i.test(withoutInvisible(name));

/** UTF-8 of the characters that HFS+ ignores: U+200C-200F, U+202A-202E, U+206A-206F, U+FEFF. */
const INVISIBLE = /\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf/g;

const withoutInvisible = (name: string): string => name.replaceAll(INVISIBLE, '');
