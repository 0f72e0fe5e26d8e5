import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { carrelError, errnoOf } from '../../domain/error/error.js';

/** Far above any configuration written by a person. */
const MOST_BYTES = 256 * 1024;

export interface ConfigText {
  /** As requested, for messages. */
  readonly file: string;
  readonly text: string;
}

/** The configuration of a repository; undefined when it has none. */
export async function readRepositoryConfig(root: string): Promise<ConfigText | undefined> {
  const [first, second] = [
    join(root, '.carrel', 'config.yaml'),
    join(root, '.carrel', 'config.yml'),
  ] as const;
  const [yaml, yml] = await Promise.all([readConfigText(first, root), readConfigText(second, root)]);
  if (yaml && yml) throw carrelError('CONFIG_TWICE', { first, second });
  return yaml ?? yml;
}

/**
 * The text of a file; undefined when there is none. With `within`, symbolic links that lead outside that directory are
 * refused: the file's author chose them, and error messages would show the contents.
 */
export async function readConfigText(file: string, within?: string): Promise<ConfigText | undefined> {
  try {
    const place = await findPlace(file, within);
    return place === undefined ? undefined : { file, text: decode(file, await readBytes(file, place)) };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || !(error instanceof Error && 'syscall' in error)) throw error;
    throw carrelError('CONFIG_UNREADABLE', { file, problem: errno }, error);
  }
}

/** The real path, or undefined when it does not exist. A broken link is a mistake, not a missing file. */
async function findPlace(file: string, within: string | undefined): Promise<string | undefined> {
  try {
    const place = await realpath(file);
    if (within === undefined || place.startsWith(withSeparator(await realpath(within)))) return place;
    throw carrelError('CONFIG_UNREADABLE', {
      file,
      problem: `it is a link that leads outside ${within}, to ${place}`,
    });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== 'ENOENT' && errno !== 'ENOTDIR') throw error;
    if (!(await isThere(file))) return undefined;
    throw carrelError('CONFIG_UNREADABLE', { file, problem: 'it is a broken link' }, error);
  }
}

const withSeparator = (path: string): string => (path.endsWith(sep) ? path : path + sep);

function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** Opened without blocking; otherwise a named pipe instead of the file would block forever. */
async function readBytes(file: string, place: string): Promise<Buffer> {
  const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw carrelError('CONFIG_UNREADABLE', { file, problem: 'it is not a regular file' });
    if (stat.size > MOST_BYTES) {
      const problem = `it has ${stat.size} bytes; at most ${MOST_BYTES} are read`;
      throw carrelError('CONFIG_UNREADABLE', { file, problem });
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Invalid UTF-8 is refused rather than replaced; a byte order mark is removed. */
function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const line = countLines(bytes);
    throw carrelError('CONFIG_SYNTAX', { file, line, column: 1, problem: 'the text is not UTF-8' }, error);
  }
}

/** The line of the first byte that is not UTF-8. */
function countLines(bytes: Buffer): number {
  const readable = bytes.toString('utf8').split('\ufffd')[0] ?? '';
  return readable.split('\n').length;
}
