import { lstatSync, type Stats } from 'node:fs';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { type BytePath, displayPath, toFsPath } from '../../git/byte-path.js';
import { withoutIgnored } from '../../git/diff/without-ignored.js';
import { MOST_FILE_BYTES } from '../../git/files/most-file-bytes.js';
import { findUnreadable } from '../../git/files/open-unreadable.js';
import { statEntry } from '../../git/files/read-directory.js';
import type { Git } from '../../git/git.js';
import type { StatusEntry } from '../../git/work-tree/status-entries.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';

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
    const info = isUnstaged ? findEntry(workTree, path) : undefined;
    const reason = info && findReason(info);
    if (reason !== undefined) found.set(path, leaveOut(path, reason));
  }
  return found;
}

/** Below a directory that can't be searched there is nothing to be found out. */
function findEntry(workTree: string, path: BytePath): Stats | undefined {
  try {
    return statEntry(workTree, path);
  } catch (error) {
    if (isCarrelError(error, 'FILE_UNREADABLE')) return undefined;
    throw error;
  }
}

/**
 * Files and directories that can't be read, with a message for each. For when git has complained: it stops at a file, and
 * passes over a directory. In a foreign work tree ignored ones are listed, too: git never reads its rules in place.
 */
export async function findUnreadableWork(
  git: Git,
  { gitDir, workTree, isForeign }: Pick<WorkTreePlace, 'gitDir' | 'workTree' | 'isForeign'>,
): Promise<ReadonlyMap<BytePath, string>> {
  const found = [...findUnreadable(workTree)];
  const work = isForeign ? found : await withoutIgnored(git, { gitDir, workTree }, found);
  return new Map(work.map(path => [path, leaveOut(path, "which can't be read")]));
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
