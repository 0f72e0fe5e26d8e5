import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { errnoOf } from '../../domain/error.js';
import { type BytePath, displayPath, toBytePath, toBytes } from '../../git/byte-path.js';
import { copyEntry } from '../copy-entry.js';

/** Files that are copied at once; as many as keep the disk busy. */
const AT_ONCE = 16;

/**
 * Copies what is in a directory into an existing, empty one: files with their blocks shared where the file system can,
 * links as links, modes kept. Every `.git` is left out: a copy has no version control, and a `.git` file would lead git
 * back to the original. Gives warnings about all else that was left out.
 */
export async function copyDirectory(
  source: string,
  destination: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const copy: Copy = { from: toBytePath(source), to: toBytePath(destination), warnings: [], signal };
  await copyChildren(copy, '', await readdir(source, 'latin1'), await lstat(source));
  return copy.warnings;
}

interface Copy {
  readonly from: BytePath;
  readonly to: BytePath;
  readonly warnings: string[];
  readonly signal: AbortSignal | undefined;
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
  // The copy itself, when it is made somewhere below its source.
  if (!info || `${copy.from}${path}` === copy.to) return undefined;
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
      ['EACCES', 'EPERM'].includes(errnoOf(error) ?? '') ? 'it may not be read' : 'it vanished meanwhile',
    );
    return undefined;
  }
}

function warn(copy: Copy, path: BytePath, reason: string): void {
  copy.warnings.push(`${displayPath(path.slice(1))} was not copied: ${reason}`);
}
