import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { errnoOf } from '../../domain/error/error.js';
import { type BytePath, displayPath, toBytePath, toBytes } from '../../git/byte-path.js';
import { copyEntry } from '../files/copy-entry.js';

/** Files copied concurrently; enough to keep the disk busy. */
const AT_ONCE = 16;

/**
 * Copies the contents of a directory into an existing, empty one: files with shared blocks where the file system
 * supports it, links as links, modes kept. Every `.git` is left out: a copy has no version control, and a `.git` file
 * would lead git back to the original. Returns warnings about everything else left out, except what the caller excludes.
 */
export async function copyDirectory(
  source: string,
  destination: string,
  signal: AbortSignal | undefined,
  leaveOut: Copy['leaveOut'] = () => false,
): Promise<string[]> {
  const ends = { from: toBytePath(source), to: toBytePath(destination) };
  const copy: Copy = { ...ends, warnings: [], signal, leaveOut };
  await copyChildren(copy, '', await readdir(source, 'latin1'), await lstat(source));
  return copy.warnings;
}

interface Copy {
  readonly from: BytePath;
  readonly to: BytePath;
  readonly warnings: string[];
  readonly signal: AbortSignal | undefined;
  /** By path relative to the source. */
  readonly leaveOut: (path: BytePath, isDirectory: boolean) => boolean;
}

async function copyChildren(
  copy: Copy,
  directory: BytePath,
  names: readonly string[],
  info: Stats,
): Promise<void> {
  copy.signal?.throwIfAborted();
  const paths = names.filter(name => name !== '.git').map(name => `${directory}/${name}`);
  const directories: (readonly [BytePath, Stats])[] = [];
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const found = await Promise.all(
      paths.slice(start, start + AT_ONCE).map(path => copyUnlessDirectory(copy, path)),
    );
    directories.push(...found.filter(entry => entry !== undefined));
  }
  for (const [path, stats] of directories) await copyBelow(copy, path, stats);
  // Last, because it may be read-only.
  await chmod(toBytes(`${copy.to}${directory}`), info.mode & 0o7777);
}

async function copyUnlessDirectory(
  copy: Copy,
  path: BytePath,
): Promise<readonly [BytePath, Stats] | undefined> {
  const source = toBytes(`${copy.from}${path}`);
  const info = await unlessUnreadable(copy, path, () => lstat(source));
  // The copy itself, when it is below its source.
  if (!info || `${copy.from}${path}` === copy.to) return undefined;
  if (copy.leaveOut(path.slice(1), info.isDirectory())) return undefined;
  if (info.isDirectory()) return [path, info];
  const outcome = await copyEntry(source, info, toBytes(`${copy.to}${path}`));
  if (!outcome.copied) warn(copy, path, outcome.reason);
  return undefined;
}

async function copyBelow(copy: Copy, directory: BytePath, info: Stats): Promise<void> {
  const names = await unlessUnreadable(copy, directory, () =>
    readdir(toBytes(`${copy.from}${directory}`), 'latin1'),
  );
  if (!names) return;
  await mkdir(toBytes(`${copy.to}${directory}`));
  await copyChildren(copy, directory, names, info);
}

async function unlessUnreadable<T>(
  copy: Copy,
  path: BytePath,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error;
    warn(
      copy,
      path,
      ['EACCES', 'EPERM'].includes(errnoOf(error) ?? '')
        ? 'permission denied'
        : 'it was deleted during the copy',
    );
    return undefined;
  }
}

function warn(copy: Copy, path: BytePath, reason: string): void {
  copy.warnings.push(`${displayPath(path.slice(1))} was not copied: ${reason}`);
}
