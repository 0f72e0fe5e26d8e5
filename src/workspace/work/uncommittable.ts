import { lstatSync, type Stats } from 'node:fs';
import { carrelError } from '../../domain/error/error.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { type BytePath, displayPath, toFsPath } from '../../git/byte-path.js';
import { MOST_FILE_BYTES } from '../../git/files/most-file-bytes.js';
import type { StatusEntry } from '../../git/work-tree/status-entries.js';

/**
 * Changed files that no commit should hold, with a message for each: git would read all of a sparse file of a terabyte,
 * and fail entirely because of a named pipe in place of a tracked file.
 */
export function findUncommittable(
  workTree: string,
  entries: readonly StatusEntry[],
): ReadonlyMap<BytePath, string> {
  const found = new Map<BytePath, string>();
  for (const { path, isUnstaged } of entries) {
    const info = isUnstaged ? lstatSync(toFsPath(workTree, path), { throwIfNoEntry: false }) : undefined;
    const reason = info && findReason(info);
    if (reason !== undefined) found.set(path, leaveOut(path, reason));
  }
  return found;
}

export const describeTooLarge = (workTree: string, path: BytePath): string =>
  leaveOut(path, sizeReason(lstatSync(toFsPath(workTree, path)).size));

export function tooLargeToCommit(workTree: string, path: BytePath): Error {
  const bytes = lstatSync(toFsPath(workTree, path)).size;
  return carrelError('SNAPSHOT_TOO_LARGE', { path: displayPath(path), bytes, limit: MOST_FILE_BYTES });
}

const leaveOut = (path: BytePath, reason: string): string =>
  `left out of the commit: ${displayPath(path)}, ${reason}`;

function findReason(info: Stats): string | undefined {
  if (info.isFile()) return info.size > MOST_FILE_BYTES ? sizeReason(info.size) : undefined;
  return info.isSymbolicLink() || info.isDirectory()
    ? undefined
    : 'which is a named pipe, a socket or a device';
}

const sizeReason = (bytes: number): string =>
  `which is ${formatSize(bytes)}; the maximum is ${formatSize(MOST_FILE_BYTES)}`;
