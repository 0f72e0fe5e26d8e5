import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { carrelError, errnoOf } from '../../domain/error.js';
import { type BytePath, displayPath, toBytePath, toFsPath } from '../byte-path.js';

/** A regular file that is open and certain to lie where its path says. */
export interface PinnedFile {
  readonly descriptor: number;
  readonly bytes: number;
  /** A name by which another process of ours opens this very file, whatever stands at its path by now. */
  readonly path: BytePath;
  close(): void;
}

/** Opening a named pipe would wait for its other end, and a link would lead elsewhere. */
export const WITHOUT_SURPRISE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const hasProcesses = process.platform === 'linux';

/**
 * A function that opens files below a directory in which somebody else may put a link in the place of anything at any
 * moment: between a look and a read, on the way or at the end of it. What is not a regular file any more, or turns out to
 * lie elsewhere, is not there. The kernel tells where an open file lies; where it does not, only a link at the end of the
 * path is noticed. FILE_UNREADABLE.
 */
export function createPinner(root: string): (path: BytePath) => PinnedFile | undefined {
  const real = toBytePath(realpathSync(root));
  return path => {
    const descriptor = openQuietly(root, path);
    if (descriptor === undefined) return undefined;
    const info = fstatSync(descriptor);
    if (info.isFile() && liesAt(descriptor, `${real}/${path}`))
      return {
        descriptor,
        bytes: info.size,
        path: hasProcesses ? `/proc/${process.pid}/fd/${descriptor}` : `${toBytePath(root)}/${path}`,
        close: () => closeSync(descriptor),
      };
    closeSync(descriptor);
    return undefined;
  };
}

function openQuietly(root: string, path: BytePath): number | undefined {
  try {
    return openSync(toFsPath(root, path), WITHOUT_SURPRISE);
  } catch (error) {
    // ELOOP: a link. ENXIO: a socket.
    const problem = errnoOf(error) ?? String(error);
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(problem)) return undefined;
    throw carrelError('FILE_UNREADABLE', { path: join(root, displayPath(path)), problem }, error);
  }
}

function liesAt(descriptor: number, path: BytePath): boolean {
  return !hasProcesses || readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: 'latin1' }) === path;
}

/** The id that git gives to the content as it is; `idLength` is the number of its characters. */
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

/** As much as there was when it was opened: somebody may write faster than we read. */
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
