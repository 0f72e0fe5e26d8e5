import { statfsSync, statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { isMissing } from '../../domain/error/error.js';
import type { RunProcess } from '../../exec/run-process.js';

export type Run = RunProcess;

/** An empty file counts as this much, so that the number of files is limited too. */
const LEAST_FILE = 4096;

/**
 * Bytes on disk of all the directories together, or 4096 for each of their files if that is more; undefined when the
 * signal was aborted first. Uses `du`, which handles any depth of directories, follows no symbolic link, counts a file
 * with two names once and does not block this process. Files in a directory that its owner made unreadable are not
 * counted.
 */
export async function measureUsage(
  run: Run,
  directories: readonly string[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const [kilobytes, files] = await Promise.all([
    sumWithDu(run, ['-s', '-k', '-x'], directories, signal),
    // Busybox has no such option and prints no number; then only bytes count.
    sumWithDu(run, ['-s', '--inodes', '-x'], directories, signal),
  ]);
  return signal.aborted ? undefined : Math.max(kilobytes * 1024, files * LEAST_FILE);
}

/** One line per directory: a number, a tab, the path. Files that disappear meanwhile are not an error. */
async function sumWithDu(
  run: Run,
  options: readonly string[],
  directories: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const { stdout } = await run({
    command: 'du',
    args: [...options, '--', ...directories],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    signal,
    graceMs: 0,
    maxOutputBytes: 64 * 1024,
    onStart: lowerPriority,
  });
  const numbers = stdout.toString('latin1').matchAll(/^(\d+)\t/gm);
  return [...numbers].reduce((sum, [, number]) => sum + Number(number), 0);
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It has ended already.
  }
}

/** How full the file systems of the directories are: bytes, and their files as bytes. A few system calls. */
export function readFill(directories: readonly string[]): readonly [bytes: number, files: number] {
  const seen = new Map<number, readonly [number, number]>();
  for (const directory of directories) {
    const device = unlessMissing(() => statSync(directory).dev);
    if (device === undefined || seen.has(device)) continue;
    const { bsize, blocks, bfree, files, ffree } = statfsSync(directory);
    seen.set(device, [(blocks - bfree) * bsize, (files - ffree) * LEAST_FILE]);
  }
  const sums = [...seen.values()];
  return [sums.reduce((sum, [bytes]) => sum + bytes, 0), sums.reduce((sum, [, files]) => sum + files, 0)];
}

/** Free bytes on the fullest file system of the directories. */
export function readFree(directories: readonly string[]): number {
  const free = directories.flatMap(directory => {
    const stats = unlessMissing(() => statfsSync(directory));
    return stats ? [stats.bavail * stats.bsize] : [];
  });
  return free.length > 0 ? Math.min(...free) : 0;
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
