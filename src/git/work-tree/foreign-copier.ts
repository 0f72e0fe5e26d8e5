import { closeSync, constants, mkdirSync, openSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { carrelError, errnoOf, isCarrelError } from '../../domain/error/error.js';
import { type BytePath, displayPath, toFsPath } from '../byte-path.js';
import { copyPinned, createPinner, type PinnedFile } from '../files/pinned-file.js';
import { createParentMaker } from '../files/safe-path.js';
import type { FoundFile } from '../files/walk.js';

/** Copies files of a foreign directory into our copy. */
export interface Copier {
  /** False when it is not there any more, or something else is in the copy that was in its place a moment ago. */
  file(path: BytePath, file: FoundFile): Promise<boolean>;
  directory(path: BytePath): void;
}

export function createCopier(from: string, to: string): Copier {
  const pin = createPinner(from);
  const makeParents = createParentMaker(to);
  return {
    directory: path => {
      try {
        makeParents(path);
        ignoreTaken(() => mkdirSync(toFsPath(to, path)));
      } catch (error) {
        throw explainDepth(error, from, path);
      }
    },
    file: async (path, { kind, mode }) => {
      if (!hasRoom(makeParents, path)) return false;
      if (kind === 'symlink') return copyLink(toFsPath(from, path), toFsPath(to, path));
      const file = pin(path);
      try {
        return file !== undefined && (await copyFile(file, toFsPath(to, path), mode));
      } catch (error) {
        throw explainDepth(error, from, path);
      } finally {
        file?.close();
      }
    },
  };
}

/** Directories created level by level can be deeper than any path that a system call accepts. */
function explainDepth(error: unknown, from: string, path: BytePath): unknown {
  if (errnoOf(error) !== 'ENAMETOOLONG') return error;
  const details = { path: join(from, displayPath(path)), problem: 'ENAMETOOLONG' };
  return carrelError('FILE_UNREADABLE', details, error);
}

/** If a directory was a link when it was inspected, nothing can be put below it. */
function hasRoom(makeParents: (path: BytePath) => void, path: BytePath): boolean {
  try {
    makeParents(path);
    return true;
  } catch (error) {
    if (isCarrelError(error, 'UNSAFE_PATH')) return false;
    throw error;
  }
}

async function copyFile(file: PinnedFile, to: Buffer, mode: number): Promise<boolean> {
  const copy = ignoreTaken(() => openSync(to, WRITE_NEW, mode & 0o100 ? 0o755 : 0o644));
  if (copy === undefined) return false;
  await copyPinned(file, copy).finally(() => closeSync(copy));
  return true;
}

const WRITE_NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

function copyLink(from: Buffer, to: Buffer): boolean {
  // EINVAL: it is no longer a link.
  const target = ignoreTaken(() => readlinkSync(from, { encoding: 'buffer' }));
  return (
    target !== undefined &&
    ignoreTaken(() => {
      symlinkSync(target, to);
      return true;
    }) === true
  );
}

/** The files may change in the meantime; what was a directory before is one in the copy. */
function ignoreTaken<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    const expected = ['EEXIST', 'EISDIR', 'ELOOP', 'ENOENT', 'ENOTDIR', 'EINVAL'];
    if (expected.includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
