import { statfsSync, statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { isMissing } from '../../domain/error.js';
import type { RunRequest, RunResult } from '../../exec/run.js';

export type Run = (request: RunRequest) => Promise<RunResult>;

/** A file without content takes this much in what is compared with a limit: so files can't be without number either. */
const LEAST_FILE = 4096;

/**
 * Bytes on the disk that the directories hold together, or 4096 for each of their files when that is more; undefined when
 * the signal came first. Through `du`, which goes down any depth of directories, follows no symbolic link, counts a file
 * with two names once and does not occupy this process. What lies in a directory that its owner made unreadable is not
 * seen.
 */
export async function measureUsage(
  run: Run,
  directories: readonly string[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const [kilobytes, files] = await Promise.all([
    sumWithDu(run, ['-s', '-k', '-x'], directories, signal),
    // Busybox has no such option and gives no number; then only bytes count.
    sumWithDu(run, ['-s', '--inodes', '-x'], directories, signal),
  ]);
  return signal.aborted ? undefined : Math.max(kilobytes * 1024, files * LEAST_FILE);
}

/** One line for each directory: a number, a tab, the path. That some files went away meanwhile is no error of ours. */
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

/** How full the file systems of the directories are: bytes, and the files in it as bytes. A few system calls. */
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

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
