import { close, constants, existsSync, openSync } from 'node:fs';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { identifyProcess } from '../process/identify-process.js';
import { runProcess } from '../run-process.js';
import { parentVariables } from '../stop/orphans.js';
import { findMount, type MountEntry, optionOf } from './mount-table.js';

/** One overlay: reads come from the upper layer, then from the lower ones, and writes go to the upper one. */
export interface OverlayMount {
  /** One directory, or several joined by `:`, the topmost first. They must not change while they are mounted. */
  readonly lower: string;
  readonly upper: string;
  /** An empty directory on the file system of `upper`, for the kernel's own use. */
  readonly work: string;
  /** An existing directory; a real path. */
  readonly target: string;
  /**
   * Whether nothing waits for the disk. Otherwise the first write to each lower file copies it up and flushes the copy,
   * and every fsync(2) flushes: 200 such files take 170 ms, volatile 17 ms. In return, a power cut may lose more recent
   * writes than in an ordinary directory. The kernel refuses to reuse the `work` of a volatile mount.
   */
  readonly volatile: boolean;
  /**
   * Whether the kernel refuses a second mount of the upper layer, in any namespace. In return it requires the same
   * lower directory that the upper one was first mounted over, not a copy restored from a backup.
   */
  readonly exclusive?: boolean | undefined;
}

/** Mounts it in this process's mount namespace. OVERLAY_MOUNT_FAILED. */
export async function mountOverlay(mount: OverlayMount): Promise<void> {
  await callMount(describeMount(mount), mount.target);
}

/**
 * Mounts it unless something is mounted there, one process at a time, where the kernel would not refuse the second one.
 * The lock is a kernel lock on a file, which is created if missing, so it is released when its holder exits.
 */
export async function mountOverlayOnce(mount: OverlayMount, lockFile: string): Promise<void> {
  const { target } = mount;
  const command = [findProgram('mount'), ...PLAIN, ...describeMount(mount)];
  await call('flock', [lockFile, '/bin/sh', '-c', UNLESS_MOUNTED, 'sh', target, ...command], target);
}

/** mountpoint(1) exits with 0 for a mount point, and for other directories with 1 or, in newer versions, 32. */
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
 * Mounts an overlay read-only. Its upper layer becomes the topmost lower one, so that another mount of it, which the
 * kernel may still be removing, does no harm.
 */
export async function mountOverlayForReading(
  mount: Pick<OverlayMount, 'lower' | 'upper' | 'target'>,
): Promise<void> {
  const { lower, upper, target } = mount;
  requirePlainPaths([lower.replaceAll(':', ''), upper]);
  const options = ['ro', `lowerdir=${upper}:${lower}`, ...FEATURES, 'index=off'];
  await callMount(['-t', 'overlay', 'overlay', '-o', options.join(','), target], target);
}

/**
 * Bind mount: shows what is mounted at `source` at another path too, as the same file system with the same device and
 * inode numbers.
 */
export const bindMount = (source: string, target: string): Promise<void> =>
  callMount(['--bind', source, target], target);

/**
 * Unmounts immediately, even when a process has a file in it open. Does nothing when nothing is mounted there. The last
 * process to release the mount has to wait until the kernel has dropped its files: 100 ms after a `git status` over
 * 80,000 files. That should not be umount(8), which we wait for, but a thread of this process shortly after, which we
 * do not wait for.
 */
export async function unmountOverlay(target: string): Promise<void> {
  while (isMounted(target)) {
    const descriptor = openOrUndefined(target);
    try {
      await call('umount', ['-n', '--lazy', target], target);
    } finally {
      if (descriptor !== undefined) closeLater(descriptor);
    }
  }
}

/**
 * Mounts an overlay in place of the one that is mounted at its target, if any, which is unmounted as by
 * `unmountOverlay`. One process does both: starting one takes longer than either. OVERLAY_MOUNT_FAILED.
 */
export async function replaceOverlay(mount: OverlayMount): Promise<void> {
  const { target } = mount;
  if (!isMounted(target)) return mountOverlay(mount);
  const former = openOrUndefined(target);
  const command = [findProgram('mount'), ...PLAIN, ...describeMount(mount)];
  try {
    await call('sh', ['-c', UNMOUNT_FIRST, 'sh', findProgram('umount'), target, ...command], target);
  } finally {
    if (former !== undefined) closeLater(former);
  }
}

const UNMOUNT_FIRST = '"$1" -n --lazy "$2" && shift 2 && exec "$@"';

/** By then the work that needed the unmount is done, so the two do not compete for the CPU. */
const MOMENT_MS = 500;

function openOrUndefined(target: string): number | undefined {
  try {
    return openSync(target, constants.O_DIRECTORY);
  } catch {
    return undefined;
  }
}

/** Not `closeSync`: it waits for the kernel. */
function closeLater(descriptor: number): void {
  setTimeout(() => close(descriptor, () => undefined), MOMENT_MS).unref();
}

/** Unmounts; false when a process has a file open in it or works in it. */
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

/** Linux 6.18 uses another name for it in the table. */
const isVolatile = ({ options }: MountEntry): boolean =>
  options.includes('volatile') || options.includes('fsync=volatile');

/** The directories that a mounted overlay reads from. */
export const lowerLayersOf = (entry: MountEntry): string[] =>
  entry.type === 'overlay' ? (optionOf(entry, 'lowerdir')?.split(':') ?? []) : [];

/** Whether a path can be used in mount options, where these characters separate and quote. */
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
  const problem = 'mount options cannot contain a path with a comma, colon, quote, backslash or line break';
  throw carrelError('OVERLAY_MOUNT_FAILED', { path: odd, problem });
}

/** `-i`: without the file system's helper program. `-n`: without writing a mount table. */
const PLAIN = ['-i', '-n'];

const callMount = (args: readonly string[], target: string): Promise<void> =>
  call('mount', [...PLAIN, ...args], target);

/** Whether the kernel refused a mount, as opposed to mount(8) itself failing (see its EXIT STATUS). */
export const isRefusedByKernel = (error: unknown): boolean =>
  isCarrelError(error, 'OVERLAY_MOUNT_FAILED') && error.details.exitCode === 32;

type Program = 'mount' | 'umount' | 'flock' | 'sh';

async function call(program: Program, args: readonly string[], target: string): Promise<void> {
  const { exitCode, stderr } = await start(program, args);
  if (exitCode === 0) return;
  const said = stderr.toString('utf8').trim().split('\n')[0];
  const problem = said || `${program}: ${exitCode}`;
  throw carrelError('OVERLAY_MOUNT_FAILED', { path: target, problem, exitCode });
}

/** Not from PATH: it may run with privileges that another program of the same name must not get. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];

const PLAIN_ENVIRONMENT = {
  PATH: FOLDERS.join(':'),
  LC_ALL: 'C.UTF-8',
  // Since 2.39 it would pass each option separately, and the kernel then accepts at most 255 bytes for one.
  LIBMOUNT_FORCE_MOUNT2: 'always',
};

/**
 * So that it is found when this process is killed: otherwise it could mount what another process is removing by then.
 */
function findParentVariables(): Readonly<Record<string, string>> {
  const self = identifyProcess(process.pid);
  return self ? parentVariables(self) : {};
}

function start(program: Program, args: readonly string[]) {
  const command = findProgram(program);
  const env = { ...PLAIN_ENVIRONMENT, ...findParentVariables() };
  return runProcess({ command, args, cwd: '/', env, timeoutMs: 30_000 });
}

function findProgram(program: Program): string {
  const command = FOLDERS.map(folder => `${folder}/${program}`).find(path => existsSync(path));
  if (command) return command;
  throw carrelError('OVERLAY_MOUNT_FAILED', { path: program, problem: `${program} was not found` });
}
