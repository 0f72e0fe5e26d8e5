/**
 * File names are bytes, not text: a name that is not UTF-8 must survive a snapshot. A *byte path* is a string with one
 * character per byte (latin1), which splits, sorts and compares like any string. Turn it into a Buffer for fs calls and
 * into display text for people.
 */
export type BytePath = string;

export const toFsPath = (root: string, path: BytePath): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(path, 'latin1')]);

export const toBytePath = (text: string): BytePath => Buffer.from(text, 'utf8').toString('latin1');

export const toBytes = (path: BytePath): Buffer => Buffer.from(path, 'latin1');

/** For display and JSON: bytes that are not UTF-8 become U+FFFD. */
export const displayPath = (path: BytePath): string => Buffer.from(path, 'latin1').toString('utf8');

/** C-style quoting as git reads it on `--stdin-paths`, for every byte that is not plain ASCII. */
export function quoteBytePath(path: BytePath): string {
  const quoted = path.replaceAll(
    /[^\x20-\x7e]|["\\]/g,
    c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${quoted}"`;
}
