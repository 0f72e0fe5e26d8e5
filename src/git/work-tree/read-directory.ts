import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { carrelError, errnoOf, isMissing } from '../../domain/error.js';
import { type BytePath, displayPath, toFsPath } from '../byte-path.js';

export interface DirectoryEntry {
  readonly path: BytePath;
  readonly name: BytePath;
  readonly stats: Stats;
}

/**
 * The entries of a directory, sorted by name, nothing followed. What vanishes meanwhile is not there; what can't be read
 * is an error, because whoever asks must know all of it. Synchronous: per file an eighth of the asynchronous cost.
 */
export function readDirectory(root: string, directory: BytePath): DirectoryEntry[] {
  const names = orUnreadable(root, directory, () =>
    readdirSync(toFsPath(root, directory), { encoding: 'latin1' }),
  );
  return (names ?? []).sort().flatMap(name => {
    const path = directory === '' ? name : `${directory}/${name}`;
    const stats = statEntry(root, path);
    return stats ? [{ path, name, stats }] : [];
  });
}

/** What is at the path itself, or undefined. */
export function statEntry(root: string, path: BytePath): Stats | undefined {
  // `root/` would follow a link at the root.
  const place = path === '' ? root : toFsPath(root, path);
  return orUnreadable(root, path, () => lstatSync(place, { throwIfNoEntry: false }));
}

function orUnreadable<T>(root: string, path: BytePath, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    const problem = errnoOf(error) ?? String(error);
    throw carrelError('FILE_UNREADABLE', { path: join(root, displayPath(path)), problem }, error);
  }
}
