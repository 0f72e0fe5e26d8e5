import { carrelError } from '../../domain/error.js';
import type { Mount, Policy } from '../policy.js';
import { findNeighbours } from './neighbours.js';
import type { OwnEtc } from './own-etc.js';
import type { SystemLayout } from './system-layout.js';

/** What is known of the machine and of one command. --clearenv and --perms need bubblewrap 0.5. */
export interface BubblewrapOptions {
  readonly layout: SystemLayout;
  /** Host paths of files with the contents of renderOwnEtc. */
  readonly ownEtc: OwnEtc;
  readonly seccompDescriptor: number;
  readonly statusDescriptor: number;
  /** Whether this bubblewrap has --disable-userns (0.8). */
  readonly disableUserns: boolean;
  /** Whether it has --size (0.7); without, every memory file system may take half of the memory. */
  readonly canSize: boolean;
  /** Whether it has --overlay (0.11). */
  readonly canOverlay: boolean;
  readonly callerIsRoot: boolean;
  /** Most bytes of each memory file system that the policy says nothing of. */
  readonly scratchBytes: number;
  readonly command: readonly string[];
  /** Over that of the policy. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly workingDirectory?: string | undefined;
  /** The caller's terminal is handed over: the session stays, and the seccomp filter alone keeps TIOCSTI out. */
  readonly terminal?: boolean | undefined;
}

/**
 * The policy as arguments of bubblewrap. The environment is among them, and every user of the machine can read the
 * arguments of a process: hideArguments keeps them to ourselves.
 */
export function bubblewrapArguments(policy: Policy, options: BubblewrapOptions): string[] {
  if (policy.root.kind === 'image') throw refused('it shows the machine itself and no images');
  return [
    ...unshare(policy, options),
    ...['--hostname', policy.hostname],
    ...['--uid', String(policy.user.uid), '--gid', String(policy.user.gid)],
    ...renderEnvironment({ ...policy.environment, ...options.environment }),
    ...showSystem(policy, options),
    ...showKernel(policy, options),
    ...showScratch(options),
    ...showMounts(policy, options),
    // The root is memory too, and holds nothing but the mount points.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--seccomp', String(options.seccompDescriptor)],
    ...['--json-status-fd', String(options.statusDescriptor)],
    ...['--chdir', options.workingDirectory ?? policy.workingDirectory],
    '--',
    ...options.command,
  ];
}

/**
 * The same arguments with the options in `data`, which bubblewrap reads from a descriptor (--args). `command` is what
 * stands at their end: a variable's value may be `--` too. A NUL would make two options of one.
 */
export function hideArguments(
  args: readonly string[],
  command: readonly string[],
  descriptor: number,
): { readonly args: string[]; readonly data: Buffer } {
  const end = args.length - command.length - 1;
  if (args.some(arg => arg.includes('\0'))) throw refused('a variable or a path has a NUL in it');
  const data = args.slice(0, end).map(arg => `${arg}\0`);
  return {
    args: ['--args', String(descriptor), ...args.slice(end)],
    data: Buffer.from(data.join('')),
  };
}

function unshare({ network, nested }: Policy, { disableUserns, terminal }: BubblewrapOptions): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...(disableUserns && !nested ? ['--disable-userns'] : []),
    ...['--cap-drop', 'ALL', '--die-with-parent'],
    ...(terminal ? [] : ['--new-session']),
  ];
}

function renderEnvironment(environment: Readonly<Record<string, string>>): string[] {
  return ['--clearenv', ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value])];
}

function showSystem({ network }: Policy, { layout, ownEtc }: BubblewrapOptions): string[] {
  const ofHost = [...layout.settings, ...(network === 'full' ? layout.networkSettings : [])];
  const own = Object.entries(ownEtc).filter(([path]) => !ofHost.includes(path));
  return [
    ...layout.directories.flatMap(path => ['--ro-bind', path, path]),
    ...layout.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...ofHost.flatMap(path => ['--ro-bind', path, path]),
    ...own.flatMap(([path, from]) => ['--ro-bind', from, path]),
  ];
}

/**
 * Root of the host is root inside as far as /proc/sys goes, so it is covered. But the kernel lets nobody mount another
 * /proc where a part of the one at hand is covered, and a sandbox within the sandbox does just that (seen with
 * bubblewrap 0.8 on Linux 6.18): for those who were promised one, and can't write there anyway, it stays open.
 */
function showKernel({ nested }: Policy, { callerIsRoot }: BubblewrapOptions): string[] {
  const isCovered = callerIsRoot || !nested;
  return [
    ...['--proc', '/proc'],
    ...(isCovered ? ['--ro-bind', '/proc/sys', '/proc/sys'] : []),
    ...['--dev', '/dev'],
  ];
}

function showScratch(options: BubblewrapOptions): string[] {
  return [
    ...['/tmp', '/var/tmp', '/dev/shm'].flatMap(to => [
      ...['--perms', '1777'],
      ...renderTmpfs(to, options.scratchBytes, options),
    ]),
    ...renderTmpfs('/run', Math.min(RUN_BYTES, options.scratchBytes), options),
  ];
}

/** For pid files and sockets. */
const RUN_BYTES = 16 * 1024 ** 2;

function showMounts({ mounts }: Policy, options: BubblewrapOptions): string[] {
  const neighbours = findNeighbours(mounts, options.layout.directories);
  return [
    ...neighbours.flatMap(path => ['--tmpfs', path]),
    ...mounts.flatMap(mount => renderMount(mount, options)),
    ...neighbours.flatMap(path => ['--remount-ro', path]),
  ];
}

/** Missing directories above a mount are made by bubblewrap, empty: what stands beside it on the host is not seen. */
function renderMount(mount: Mount, options: BubblewrapOptions): string[] {
  switch (mount.kind) {
    case 'bind':
      return [mount.writable ? '--bind' : '--ro-bind', mount.from, mount.to];
    case 'tmpfs':
      if (mount.bytes === undefined) return renderTmpfs(mount.to, options.scratchBytes, options);
      if (!options.canSize) throw refused('it is too old to hold a memory file system to a size');
      return renderTmpfs(mount.to, mount.bytes, options);
    case 'overlay':
      if (!options.canOverlay) throw refused('it is too old to make overlays');
      return ['--overlay-src', mount.lower, '--overlay', mount.upper, mount.work, mount.to];
  }
}

function renderTmpfs(to: string, bytes: number, { canSize }: BubblewrapOptions): string[] {
  return [...(canSize ? ['--size', String(bytes)] : []), '--tmpfs', to];
}

const refused = (problem: string): Error =>
  carrelError('SANDBOX_REFUSED', { runtime: 'bubblewrap', problem });
