import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import { type Descriptors, systemDescriptors } from '../../exec/filesystem/descriptors.js';
import { type BytePath, displayPath, toBytePath, toFsPath } from '../byte-path.js';

/** An open regular file that is verified to be at its path. */
export interface PinnedFile {
  readonly descriptor: number;
  readonly bytes: number;
  /** A name by which our other processes open this very file, even if its path now holds another. */
  readonly path: BytePath;
  close(): void;
}

/** Opening a named pipe would block until its other end is opened, and a link would lead elsewhere. */
export const READ_WITHOUT_FOLLOWING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Returns a function that opens files below a directory where a hostile process may replace anything by a link at any
 * moment: between check and read, in the middle of the path or at its end. A path that is not a regular file, or turns out
 * to be elsewhere, counts as missing. Linux reports the path of an open file. macOS opens nothing through a link; elsewhere
 * a link in the path is noticed if it still exists after opening. FILE_UNREADABLE.
 */
export function createPinner(
  root: string,
  descriptors = systemDescriptors(),
): (path: BytePath) => PinnedFile | undefined {
  const realRoot = realpathSync(root);
  return path => {
    const descriptor = openQuietly(realRoot, path, descriptors);
    if (descriptor === undefined) return undefined;
    const info = fstatSync(descriptor);
    const place = descriptors.placeOf(descriptor);
    const expected = `${toBytePath(realRoot)}/${path}`;
    if (info.isFile() && (place === undefined ? isSameThere(realRoot, path, info) : place === expected))
      return {
        descriptor,
        bytes: info.size,
        path: descriptors.nameOf(descriptor, process.pid) ?? expected,
        close: () => closeSync(descriptor),
      };
    closeSync(descriptor);
    return undefined;
  };
}

function openQuietly(root: string, path: BytePath, { noFollow }: Descriptors): number | undefined {
  try {
    return openSync(toFsPath(root, path), constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
  } catch (error) {
    // ELOOP: a link. ENXIO: a socket.
    const problem = errnoOf(error) ?? String(error);
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(problem)) return undefined;
    throw carrelError('FILE_UNREADABLE', { path: join(root, displayPath(path)), problem }, error);
  }
}

/** Whether every directory in the path is a real one and the file at the end is the opened one. */
function isSameThere(root: string, path: BytePath, opened: { readonly dev: number; readonly ino: number }) {
  const names = path.split('/');
  const steps = names.map((_, at) => toFsPath(root, names.slice(0, at + 1).join('/')));
  const found = steps.map(step => lstatSync(step, { throwIfNoEntry: false }));
  const last = found.pop();
  const isDirect = !names.includes('..') && found.every(step => step?.isDirectory());
  return isDirect && last?.dev === opened.dev && last.ino === opened.ino;
}

/** The id that git gives to the unconverted content; `idLength` is the number of its characters. */
export async function hashPinned(file: PinnedFile, idLength: number): Promise<string> {
  const hash = createHash(idLength === 64 ? 'sha256' : 'sha1').update(`blob ${file.bytes}\0`);
  for await (const chunk of readPinned(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** Into a file that is open for writing. */
export async function copyPinned(file: PinnedFile, to: number): Promise<void> {
  for await (const chunk of readPinned(file)) writeSync(to, chunk);
}

const CHUNK_BYTES = 1 << 20;

/** Only the size at opening: another process may write faster than we read. */
async function* readPinned({ descriptor, bytes }: PinnedFile): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes));
  for (let at = 0; at < bytes; ) {
    const count = readSync(descriptor, buffer, 0, Math.min(buffer.length, bytes - at), at);
    if (count === 0) return;
    yield buffer.subarray(0, count);
    at += count;
    if (at < bytes) await setImmediate();
  }
}
