import { carrelError } from '../../../domain/error/error.js';
import { type BytePath, displayPath } from '../../byte-path.js';
import type { FoundFile, FoundFiles } from '../../files/walk.js';

/**
 * What a capture is about to read, or has read, as `stat` shows it. For a directory only the permissions count: its contents
 * are listed themselves.
 */
export interface FileStats {
  readonly files: ReadonlyMap<BytePath, FoundFile>;
  readonly directories: ReadonlyMap<BytePath, number>;
}

/** The result of an attempt, and what changed during it. */
export interface Attempt<T> {
  readonly made: T;
  readonly changed: readonly BytePath[];
}

/** Does not wait for a program that writes all the time. */
const MOST_ATTEMPTS = 3;

/**
 * Files are read one by one while other programs may write them, so the captured state may never have existed. Every
 * attempt ends with a second check; on a difference it is repeated, up to three attempts. Returns the last, with what was
 * still changing.
 */
export async function repeatUntilStable<T>(attempt: () => Promise<Attempt<T>>): Promise<Attempt<T>> {
  for (let left = MOST_ATTEMPTS - 1; ; left--) {
    const outcome = await attempt();
    if (outcome.changed.length === 0 || left === 0) return outcome;
  }
}

/** Paths that are new, gone, or not the same. */
export function listChangedPaths(before: FileStats, after: FileStats): BytePath[] {
  const isSameFile = (path: BytePath) => isSame(before.files.get(path), after.files.get(path));
  const isSameDirectory = (path: BytePath) => before.directories.get(path) === after.directories.get(path);
  return [
    ...union(before.files, after.files).filter(path => !isSameFile(path)),
    ...union(before.directories, after.directories).filter(path => !isSameDirectory(path)),
  ];
}

/** SNAPSHOT_FILES_GONE: the directory is being deleted, and a snapshot of the rest would look complete. */
export function requireStillThere(root: string, before: FileStats, after: FileStats): void {
  const isGone = before.directories.size > 0 && after.directories.size === 0;
  const isEmpty = before.files.size > 0 && after.files.size === 0;
  if (isGone || isEmpty) throw carrelError('SNAPSHOT_FILES_GONE', { path: root, files: before.files.size });
}

export const statsOf = ({ files, directories }: FoundFiles): FileStats => ({ files, directories });

/** For messages, sorted. */
export const describeChanged = (changed: readonly BytePath[]): string[] =>
  changed.map(path => (path === '' ? '.' : displayPath(path))).sort();

/** The time of the last change, which no program can set, shows an edit that keeps size and time, as `cp -p` does. */
function isSame(one: FoundFile | undefined, other: FoundFile | undefined): boolean {
  return (
    one?.kind === other?.kind &&
    one?.bytes === other?.bytes &&
    one?.mode === other?.mode &&
    one?.inode === other?.inode &&
    one?.changedAt === other?.changedAt
  );
}

const union = <T>(one: ReadonlyMap<BytePath, T>, other: ReadonlyMap<BytePath, T>): BytePath[] => [
  ...new Set([...one.keys(), ...other.keys()]),
];
