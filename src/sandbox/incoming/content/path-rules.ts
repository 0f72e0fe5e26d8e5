import { isUtf8 } from 'node:buffer';
import { type BytePath, displayPath, toBytes } from '../../../git/byte-path.js';

const LONGEST_NAME = 255;
export const LONGEST_PATH = 4096;

/** What is wrong with a new path, as a phrase that follows it; checks only its last name and its length. */
export function checkPath(path: BytePath): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (CONTROL.test(textOf(name))) return 'has a control character in its name';
  if (/[\\:]/.test(name)) return 'has a backslash or a colon in its name';
  if (isGitName(name)) return 'is named like a git directory';
  if (name.length > LONGEST_NAME) return `has a name of more than ${LONGEST_NAME} bytes`;
  return undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
export const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

/**
 * Whether some file system treats it as `.git`: in capitals, with characters that HFS+ ignores, with a short name, a stream
 * or what Windows strips at the end.
 */
export function isGitName(name: BytePath): boolean {
  return /^(\.git|git~\d+)([ .]*)(:.*)?$/.test(foldName(name));
}

/** Equal for two names that are the same on some file system: case, normal form, characters that HFS+ ignores. */
export function foldName(name: BytePath): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return textOf(name).normalize('NFD').replaceAll(UNSEEN, '').toUpperCase().toLowerCase().normalize('NFC');
}

const PLAIN = /^[\x20-\x7e]*$/;
// The list is git's own (utf8.c, next_hfs_char).
const UNSEEN = /\u200c|\u200d|[\u200e\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Names that are not UTF-8 stay one character per byte: they have no case or normal form beyond ASCII. */
const textOf = (name: BytePath): string => (isUtf8(toBytes(name)) ? displayPath(name) : name);
