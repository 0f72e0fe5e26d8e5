import type { Stats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import type { ArchiveEntry } from '../../tar-archive.js';

/** Files of this machine that go into an image at the same path, with every symbolic link in their paths. */
export interface ImageFiles {
  /** Returns the real path of the file; undefined when there is none. */
  add(path: string): Promise<string | undefined>;
  /** Everything in and below a directory, and the targets of links in it. Returns the files. */
  addTree(path: string): Promise<string[]>;
  /** What was added, directories before what is in them. */
  entries(): ArchiveEntry[];
  /** Distinguishes sets with the same paths and different content, by sizes and times. */
  fingerprint(): string;
}

/** As many as the kernel follows. */
const MOST_LINKS = 40;

export function createImageFiles(): ImageFiles {
  const found = new Map<string, ArchiveEntry>();
  const times = new Map<string, number>();
  // Links may form a cycle.
  const visited = new Set<string>();

  const note = (path: string, info: Stats): void => {
    const [relative, mode] = [path.slice(1), info.mode & 0o777];
    if (info.isDirectory()) found.set(path, { kind: 'directory', path: relative, mode: 0o755 });
    if (!info.isFile()) return;
    times.set(path, info.mtimeMs);
    found.set(path, { kind: 'file', path: relative, mode: mode | 0o444, from: path, size: info.size });
  };

  const follow = async (path: string, linksLeft: number): Promise<string | undefined> => {
    const parts = path.split('/').filter(Boolean);
    let current = '/';
    for (const [at, part] of parts.entries()) {
      const next = join(current, part);
      const info = await lstat(next).catch(ignoreMissing);
      if (!info || linksLeft === 0) return undefined;
      if (info.isSymbolicLink()) {
        const target = await readlink(next);
        found.set(next, { kind: 'symlink', path: next.slice(1), target });
        return follow(join(resolve(current, target), ...parts.slice(at + 1)), linksLeft - 1);
      }
      note(next, info);
      current = next;
    }
    return current;
  };

  const addTree = async (path: string): Promise<string[]> => {
    const real = await follow(path, MOST_LINKS);
    if (real === undefined || visited.has(real)) return [];
    visited.add(real);
    if (found.get(real)?.kind !== 'directory') return [real];
    const files: string[] = [];
    for (const name of await readdir(real)) files.push(...(await addTree(join(real, name))));
    return files;
  };

  return {
    add: path => follow(path, MOST_LINKS),
    addTree,
    entries: () => [...found.keys()].sort().map(path => found.get(path) as ArchiveEntry),
    fingerprint: () => JSON.stringify([...times].sort()),
  };
}
