import { carrelError } from '../../domain/error/error.js';
import type { Mount, Policy } from '../policy.js';
import { findNeighbours } from './layout/hidden-neighbours.js';
import type { OwnEtc } from './layout/own-etc.js';
import type { SystemLayout } from './layout/system-layout.js';

/** Facts about the machine and one command. --clearenv and --perms need bubblewrap 0.5. */
export interface BubblewrapOptions {
  readonly layout: SystemLayout;
  /** Host paths of files with the contents of renderOwnEtc. */
  readonly ownEtc: OwnEtc;
  readonly seccompDescriptor: number;
  readonly statusDescriptor: number;
  /** Whether this bubblewrap has --disable-userns (0.8). */
  readonly disableUserns: boolean;
  /** Whether it has --size (0.7); without it, every memory file system may take half of the memory. */
  readonly canSize: boolean;
  /** Whether it has --overlay (0.11). */
  readonly canOverlay: boolean;
  readonly callerIsRoot: boolean;
  /** Maximum size of each memory file system that the policy does not limit. */
  readonly scratchBytes: number;
  readonly command: readonly string[];
  /** Overrides that of the policy. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly workingDirectory?: string | undefined;
  /** The caller's terminal is handed over: the session stays, and only the seccomp filter blocks TIOCSTI. */
  readonly terminal?: boolean | undefined;
}

/**
 * The policy as arguments of bubblewrap. They include the environment, and every user of the machine can read the
 * arguments of a process: hideArguments hides them.
 */
export function bubblewrapArguments(policy: Policy, options: BubblewrapOptions): string[] {
  if (policy.root.kind === 'image') throw refused("it uses this machine's files and does not support images");
  return [
    ...unshare(policy, options),
    ...['--hostname', policy.hostname],
    ...['--uid', String(policy.user.uid), '--gid', String(policy.user.gid)],
    ...renderEnvironment({ ...policy.environment, ...options.environment }),
    ...showSystem(policy, options),
    ...showKernel(policy, options),
    ...showScratch(options),
    ...showMounts(policy, options),
    // The root is in memory too, and contains only mount points.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--seccomp', String(options.seccompDescriptor)],
    ...['--json-status-fd', String(options.statusDescriptor)],
    ...['--chdir', options.workingDirectory ?? policy.workingDirectory],
    '--',
    ...options.command,
  ];
}

/**
 * The same arguments with the options in `data`, which bubblewrap reads from a descriptor (--args). `command` is at
 * their end: it can't be found by `--`, which may also be the value of a variable. A NUL would split an option in two.
 */
export function hideArguments(
  args: readonly string[],
  command: readonly string[],
  descriptor: number,
): { readonly args: string[]; readonly data: Buffer } {
  const end = args.length - command.length - 1;
  if (args.some(arg => arg.includes('\0'))) throw refused('a variable or a path contains a NUL character');
  const data = args.slice(0, end).map(arg => `${arg}\0`);
  return {
    args: ['--args', String(descriptor), ...args.slice(end)],
    data: Buffer.from(data.join('')),
  };
}

function unshare({ network, nested }: Policy, { disableUserns, terminal }: BubblewrapOptions): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // For `full`, bubblewrap is started in a namespace of its network.
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
  const ofHost = [...layout.settings, ...(network === 'none' ? [] : layout.networkSettings)].filter(
    path => network === 'host' || path !== RESOLV_CONF,
  );
  const own = Object.entries(ownEtc).filter(
    ([path]) => !ofHost.includes(path) && (network === 'full' || path !== RESOLV_CONF),
  );
  return [
    ...layout.directories.flatMap(path => ['--ro-bind', path, path]),
    ...layout.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...ofHost.flatMap(path => ['--ro-bind', path, path]),
    ...own.flatMap(([path, from]) => ['--ro-bind', from, path]),
  ];
}

const RESOLV_CONF = '/etc/resolv.conf';

/**
 * In /proc, root of the host is root inside, so what belongs to the machine is covered. But the kernel refuses to mount
 * another /proc when a part of the existing one is covered, and a nested sandbox does just that (observed with
 * bubblewrap 0.8 on Linux 6.18). So it stays uncovered for ordinary users who are allowed nested sandboxes; they can't
 * write there anyway.
 */
function showKernel({ nested }: Policy, { callerIsRoot, layout }: BubblewrapOptions): string[] {
  const isCovered = callerIsRoot || !nested;
  return [...['--proc', '/proc'], ...(isCovered ? coverKernel(layout) : []), ...['--dev', '/dev']];
}

/** A device that is mounted this way can't be opened. */
function coverKernel({ kernel }: SystemLayout): string[] {
  return [
    ...kernel.readOnly.flatMap(path => ['--ro-bind', path, path]),
    ...kernel.hiddenFiles.flatMap(path => ['--ro-bind', '/dev/null', path]),
    ...kernel.hiddenDirectories.flatMap(path => ['--tmpfs', path, '--remount-ro', path]),
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

/**
 * bubblewrap creates missing directories above a mount, empty: the neighbours of the mount on the host are not visible.
 */
function renderMount(mount: Mount, options: BubblewrapOptions): string[] {
  switch (mount.kind) {
    case 'bind':
      return [mount.writable ? '--bind' : '--ro-bind', mount.from, mount.to];
    case 'tmpfs':
      if (mount.bytes === undefined) return renderTmpfs(mount.to, options.scratchBytes, options);
      if (!options.canSize) throw refused('it is too old to limit the size of a memory file system');
      return renderTmpfs(mount.to, mount.bytes, options);
    case 'overlay':
      if (!options.canOverlay) throw refused('it is too old to mount overlays');
      return ['--overlay-src', mount.lower, '--overlay', mount.upper, mount.work, mount.to];
  }
}

function renderTmpfs(to: string, bytes: number, { canSize }: BubblewrapOptions): string[] {
  return [...(canSize ? ['--size', String(bytes)] : []), '--tmpfs', to];
}

const refused = (problem: string): Error =>
  carrelError('SANDBOX_REFUSED', { runtime: 'bubblewrap', problem });
