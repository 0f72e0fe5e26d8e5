import { constants, existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { carrelError } from '../domain/error.js';
import { findMount, type MountEntry, optionOf } from './mount-table.js';
import { runProcess } from './run.js';

/** One overlay: what is read is the upper layer before the lower ones, and what is written goes to the upper one. */
export interface OverlayMount {
  /** One directory, or several joined by `:`, the topmost first. They must not change while they are mounted. */
  readonly lower: string;
  readonly upper: string;
  /** An empty directory on the file system of `upper`, for the kernel's own use. */
  readonly work: string;
  /** An existing directory; a real path. */
  readonly target: string;
  /**
   * Whether nothing waits for the disk. The first write to each lower file copies it up and flushes the copy, and
   * every fsync(2) flushes: 200 such files take 170 ms, volatile 17 ms. The price is that a power cut may take more of
   * what was written last than it would of an ordinary directory. The kernel refuses a `work` that was used so.
   */
  readonly volatile: boolean;
  /**
   * Whether the kernel refuses a second mount of the upper layer, in any namespace. In return it wants the very lower
   * directory that the upper one was first mounted over, and not one that was copied back from a backup.
   */
  readonly exclusive?: boolean | undefined;
}

/** Mounts it in this process's mount namespace. OVERLAY_MOUNT_FAILED. */
export async function mountOverlay(mount: OverlayMount): Promise<void> {
  await callMount(describeMount(mount), mount.target);
}

/**
 * Mounts it unless something is mounted there, one process at a time, where the kernel would not refuse the second one.
 * The lock is the kernel's, on a file that is made when there is none, and so it ends with whoever has it.
 */
export async function mountOverlayOnce(mount: OverlayMount, lockFile: string): Promise<void> {
  const { target } = mount;
  const command = [findProgram('mount'), ...PLAIN, ...describeMount(mount)];
  await call('flock', [lockFile, '/bin/sh', '-c', UNLESS_MOUNTED, 'sh', target, ...command], target);
}

/** mountpoint(1) answers 0 for one, and for any other directory 1 or, in newer versions, 32. */
const UNLESS_MOUNTED = 'mountpoint -q "$1"; case $? in 0) ;; 1|32) shift; exec "$@" ;; *) exit 1 ;; esac';

function describeMount(mount: OverlayMount): string[] {
  const { lower, upper, work, target } = mount;
  requirePlainPaths([lower.replaceAll(':', ''), upper, work]);
  const layers = [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`];
  const index = `index=${mount.exclusive ? 'on' : 'off'}`;
  const options = [...layers, ...FEATURES, index, ...(mount.volatile ? ['volatile'] : [])];
  return ['-t', 'overlay', 'overlay', '-o', options.join(','), target];
}

/**
 * Shows an overlay for reading only. Its upper layer is the topmost lower one then, so that another mount of it, which
 * the kernel may still be taking down, does no harm.
 */
export async function mountOverlayForReading(
  mount: Pick<OverlayMount, 'lower' | 'upper' | 'target'>,
): Promise<void> {
  const { lower, upper, target } = mount;
  requirePlainPaths([lower.replaceAll(':', ''), upper]);
  const options = ['ro', `lowerdir=${upper}:${lower}`, ...FEATURES, 'index=off'];
  await callMount(['-t', 'overlay', 'overlay', '-o', options.join(','), target], target);
}

/** Shows what is mounted at `source` at another place too: the same file system, with the same numbers. */
export const bindMount = (source: string, target: string): Promise<void> =>
  callMount(['--bind', source, target], target);

/**
 * Takes a mount away at once, also when somebody has a file of it open. Nothing is done when nothing is mounted there.
 * Whoever lets go of it last has to wait until the kernel has forgotten its files, 100 ms after a `git status` over
 * 80,000. That is not umount(8), for whose end we wait, but a thread of this process a moment later, for which we do not.
 */
export async function unmountOverlay(target: string): Promise<void> {
  while (isMounted(target)) {
    const handle = await open(target, constants.O_DIRECTORY).catch(() => undefined);
    try {
      await call('umount', ['-n', '--lazy', target], target);
    } finally {
      if (handle) closeLater(handle);
    }
  }
}

/** By then whatever the mount was taken away for is done, and does not share the processor with it. */
const MOMENT_MS = 500;

function closeLater(handle: FileHandle): void {
  setTimeout(() => void handle.close().catch(() => undefined), MOMENT_MS).unref();
}

/** Takes a mount away; false when somebody has a file of it open or works in it. */
export async function unmountUnused(target: string): Promise<boolean> {
  return (await start('umount', ['-n', target])).exitCode === 0;
}

export const isMounted = (target: string): boolean => findMount(target) !== undefined;

/** Whether exactly this overlay is mounted at its target, on top. */
export function isMountOf({ lower, upper, work, target, volatile }: OverlayMount): boolean {
  const entry = findMount(target);
  return (
    entry?.type === 'overlay' &&
    optionOf(entry, 'lowerdir') === lower &&
    optionOf(entry, 'upperdir') === upper &&
    optionOf(entry, 'workdir') === work &&
    isVolatile(entry) === volatile &&
    !entry.options.includes('ro')
  );
}

/** Linux 6.18 has another word for it in the table. */
const isVolatile = ({ options }: MountEntry): boolean =>
  options.includes('volatile') || options.includes('fsync=volatile');

/** The directories that a mounted overlay reads from. */
export const lowerLayersOf = (entry: MountEntry): string[] =>
  entry.type === 'overlay' ? (optionOf(entry, 'lowerdir')?.split(':') ?? []) : [];

/** Whether a path can stand in mount options, where these characters separate and quote. */
export const isPlainPath = (path: string): boolean => !/[,:\\"\n]/.test(path);

/**
 * Named one by one, because the kernel's defaults differ by how it was built.
 * - redirect_dir=on: without it renaming a directory of the lower layer fails with EXDEV, which `mv` makes up for and
 *   Node's `rename` does not.
 * - metacopy=off: a changed mode copies the whole file, so that the upper layer has every file that differs in full.
 * - xino=off: with all layers on one file system the inode numbers are the real ones anyway, and those are what git's
 *   index has of the lower files. The probe checks it.
 */
const FEATURES = ['redirect_dir=on', 'metacopy=off', 'xino=off'];

function requirePlainPaths(paths: readonly string[]): void {
  const odd = paths.find(path => !isPlainPath(path));
  if (odd === undefined) return;
  const problem = 'mount options can hold no path with a comma, colon, quote, backslash or line break';
  throw carrelError('OVERLAY_MOUNT_FAILED', { path: odd, problem });
}

/** `-i`: without a helper program of the file system's. `-n`: without a table of its own. */
const PLAIN = ['-i', '-n'];

const callMount = (args: readonly string[], target: string): Promise<void> =>
  call('mount', [...PLAIN, ...args], target);

type Program = 'mount' | 'umount' | 'flock';

async function call(program: Program, args: readonly string[], target: string): Promise<void> {
  const { exitCode, stderr } = await start(program, args);
  if (exitCode === 0) return;
  const said = stderr.toString('utf8').trim().split('\n')[0];
  throw carrelError('OVERLAY_MOUNT_FAILED', { path: target, problem: said || `${program}: ${exitCode}` });
}

/** Not from PATH: it may run with rights that a program of the same name in some directory must not get. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];

function start(program: Program, args: readonly string[]) {
  const command = findProgram(program);
  // From 2.39 on it would hand over each option alone, and the kernel takes at most 255 bytes of one then.
  const env = { PATH: FOLDERS.join(':'), LC_ALL: 'C.UTF-8', LIBMOUNT_FORCE_MOUNT2: 'always' };
  return runProcess({ command, args, cwd: '/', env, timeoutMs: 30_000 });
}

function findProgram(program: Program): string {
  const command = FOLDERS.map(folder => `${folder}/${program}`).find(path => existsSync(path));
  if (command) return command;
  throw carrelError('OVERLAY_MOUNT_FAILED', { path: program, problem: `there is no ${program}` });
}
