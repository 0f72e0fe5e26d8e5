import { isUtf8 } from 'node:buffer';
import { type BytePath, displayPath, toBytes } from '../../git/byte-path.js';

const LONGEST_NAME = 255;
export const LONGEST_PATH = 4096;

/** What is wrong with a new path, in words that follow it; its last name alone is judged, and its length. */
export function judgePath(path: BytePath): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (CONTROL.test(textOf(name))) return 'has a control character in its name';
  if (/[\\:]/.test(name)) return 'has a backslash or a colon in its name';
  if (isGitName(name)) return 'is named like a git directory';
  if (name.length > LONGEST_NAME) return `has a name of more than ${LONGEST_NAME} bytes`;
  return undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
export const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

/**
 * Whether some file system takes it for `.git`: in capitals, with characters that HFS+ does not see, with a short name,
 * a stream or what Windows cuts off at the end.
 */
export function isGitName(name: BytePath): boolean {
  return /^(\.git|git~\d+)([ .]*)(:.*)?$/.test(foldName(name));
}

/** The same for two names that are one name on some file system: case, normal form, characters that HFS+ does not see. */
export function foldName(name: BytePath): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return textOf(name).normalize('NFD').replaceAll(UNSEEN, '').toUpperCase().toLowerCase().normalize('NFC');
}

const PLAIN = /^[\x20-\x7e]*$/;
// The list is git's own (utf8.c, next_hfs_char).
const UNSEEN = /\u200c|\u200d|[\u200e\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** What is no UTF-8 stays a character per byte: such names have neither case nor form beyond ASCII. */
const textOf = (name: BytePath): string => (isUtf8(toBytes(name)) ? displayPath(name) : name);
