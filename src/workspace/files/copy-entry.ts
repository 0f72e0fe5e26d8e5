import { constants, copyFileSync, type PathLike, readlinkSync, type Stats, symlinkSync } from 'node:fs';
import { copyFile, readlink, symlink } from 'node:fs/promises';
import { carrelError, errnoOf } from '../../domain/error/error.js';

/** The result for one entry; `reason` is a phrase for messages. */
export type CopyOutcome = { readonly copied: true } | { readonly copied: false; readonly reason: string };

/**
 * Copies a file (sharing its blocks where the file system supports it) or a symbolic link, with its mode, and never
 * overwrites. Failures are returned, not thrown, except a full disk. DISK_FULL.
 */
export async function copyEntry(source: PathLike, info: Stats, destination: PathLike): Promise<CopyOutcome> {
  try {
    if (info.isSymbolicLink()) await symlink(await readlink(source, 'buffer'), destination);
    else if (info.isFile()) await copyFile(source, destination, SHARING_IF_POSSIBLE);
    else return { copied: false, reason: `it is ${describeKind(info)}` };
    return { copied: true };
  } catch (error) {
    return { copied: false, reason: explain(error, destination) };
  }
}

/** The synchronous version, for walks over very many files (see time-slice.ts). */
export function copyEntrySync(source: PathLike, info: Stats, destination: PathLike): CopyOutcome {
  try {
    if (info.isSymbolicLink()) symlinkSync(readlinkSync(source, 'buffer'), destination);
    else if (info.isFile()) copyFileSync(source, destination, SHARING_IF_POSSIBLE);
    else return { copied: false, reason: `it is ${describeKind(info)}` };
    return { copied: true };
  } catch (error) {
    return { copied: false, reason: explain(error, destination) };
  }
}

const SHARING_IF_POSSIBLE = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

function explain(error: unknown, destination: PathLike): string {
  const errno = errnoOf(error);
  if (errno === 'ENOSPC' || errno === 'EDQUOT')
    throw carrelError('DISK_FULL', { path: String(destination) }, error);
  if (errno === 'EEXIST') return 'a file with that name already exists';
  if (errno === 'ENOENT') return 'it was deleted during the copy';
  if (errno === 'EACCES' || errno === 'EPERM') return 'permission denied';
  if (errno === undefined) throw error;
  return errno;
}

function describeKind(info: Stats): string {
  if (info.isDirectory()) return 'a directory';
  if (info.isFIFO()) return 'a named pipe';
  if (info.isSocket()) return 'a socket';
  return 'a device';
}
