import { carrelError } from '../../domain/error/error.js';
import type { Mount, Policy } from '../policy.js';
import type { EngineName } from './engine/engine.js';

export interface ContainerOptions {
  readonly engine: EngineName;
  readonly image: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** A file with the profile of ociSeccompProfile. */
  readonly seccompFile: string;
  /**
   * podman of an ordinary user: without this, its files would belong to a sub-id, and the user could not remove them.
   */
  readonly isRootless: boolean;
  /** Maximum size of each memory file system that the policy does not limit. */
  readonly scratchBytes: number;
  /**
   * Hard limits of this process, -1 for none. If any limit is given, podman drops those in its configuration and
   * requests its default number of files, which is refused for a root without CAP_SYS_RESOURCE (observed with podman
   * 4.3 and runc).
   */
  readonly hardLimits: { readonly openFiles: number; readonly processes: number };
  /** What the container does until it is stopped. */
  readonly command: readonly [string, ...string[]];
}

/**
 * The policy as arguments of `podman run` and `docker run`, including image and command. Without the environment, which
 * is passed with each command: every user of the machine can read arguments, and `inspect` shows them.
 */
export function containerArguments(policy: Policy, options: ContainerOptions): string[] {
  const [entrypoint, ...rest] = options.command;
  return [
    ...['--name', options.name],
    ...Object.entries(options.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    // The image's entry point and health check are not used, and images are fetched elsewhere.
    ...['--entrypoint', entrypoint, '--no-healthcheck', '--pull', 'never', '--log-driver', 'none'],
    ...(options.engine === 'podman' ? ['--http-proxy=false'] : []),
    ...renderRights(policy, options),
    ...['--ipc', 'private', '--cgroupns', 'private', '--hostname', policy.hostname],
    ...['--network', policy.network === 'full' ? NETWORK_OF_ITS_OWN[options.engine] : policy.network],
    ...renderUser(policy, options),
    ...renderLimits(policy, options),
    ...renderMounts(policy, options),
    // Not the workspace, so that the waiting process does not keep it in use.
    ...['--workdir', '/'],
    options.image,
    ...rest,
  ];
}

/** With address translation in both; podman's differs for an ordinary user. */
const NETWORK_OF_ITS_OWN: Readonly<Record<EngineName, string>> = { podman: 'private', docker: 'bridge' };

function renderRights(policy: Policy, { engine, seccompFile }: ContainerOptions): string[] {
  if (policy.privileged) return ['--privileged', '--read-only'];
  return [
    ...['--cap-drop', 'ALL', '--read-only'],
    ...[
      'no-new-privileges',
      `seccomp=${seccompFile}`,
      'label=disable',
      ...allowNested(policy, engine),
    ].flatMap(option => ['--security-opt', option]),
  ];
}

/**
 * A nested sandbox mounts its own /proc, which the kernel refuses where the engine covers parts of the existing one.
 * For root they stay covered: otherwise it could write the machine's settings.
 */
function allowNested({ nested, user }: Policy, engine: EngineName): string[] {
  if (!nested || user.uid === 0) return [];
  return engine === 'podman' ? ['unmask=ALL'] : ['systempaths=unconfined', 'apparmor=unconfined'];
}

function renderUser({ user }: Policy, { isRootless }: ContainerOptions): string[] {
  return ['--user', `${user.uid}:${user.gid}`, ...(isRootless ? ['--userns', 'keep-id'] : [])];
}

function renderLimits({ limits, usual }: Policy, { engine, hardLimits }: ContainerOptions): string[] {
  const { cpu, memory, memorySwap = memory, pids, fileSize } = limits;
  const ofPodman =
    engine === 'podman'
      ? [`nofile=${twice(hardLimits.openFiles)}`, `nproc=${twice(hardLimits.processes)}`]
      : [];
  return [
    ...(usual ? ['--oom-score-adj', String(usual.oomScore)] : []),
    ...(cpu === undefined ? [] : ['--cpus', String(cpu)]),
    // Without the second option, the same amount of swap is granted in addition.
    ...(memory === undefined ? [] : ['--memory', String(memory), '--memory-swap', String(memorySwap)]),
    ...(pids === undefined ? [] : ['--pids-limit', String(pids)]),
    ...(fileSize === undefined
      ? []
      : [`fsize=${twice(fileSize)}`, ...ofPodman].flatMap(limit => ['--ulimit', limit])),
  ];
}

/** The soft and the hard limit. */
const twice = (limit: number): string => `${limit}:${limit}`;

function renderMounts(policy: Policy, options: ContainerOptions): string[] {
  const scratch: Mount[] = ['/tmp', '/var/tmp', '/run'].map(to => ({ kind: 'tmpfs', to }));
  return [
    ...['--shm-size', String(options.scratchBytes)],
    ...listVisibleMounts([...scratch, ...policy.mounts]).flatMap(mount => renderMount(mount, options)),
  ];
}

function renderMount(mount: Mount, { engine, scratchBytes }: ContainerOptions): string[] {
  switch (mount.kind) {
    case 'bind':
      return [
        '--mount',
        quoteFields(engine, [
          'type=bind',
          `source=${mount.from}`,
          `target=${mount.to}`,
          ...(mount.writable ? [] : ['readonly']),
        ]),
      ];
    case 'tmpfs': {
      const to = requirePlain(engine, mount.to);
      return ['--tmpfs', `${to}:rw,nosuid,nodev,exec,mode=1777,size=${mount.bytes ?? scratchBytes}`];
    }
    case 'overlay': {
      if (engine === 'docker') throw refused(engine, 'it does not support overlays of host directories');
      const [lower, to, upper, work] = [mount.lower, mount.to, mount.upper, mount.work].map(path =>
        requirePlain(engine, path),
      );
      return ['--volume', `${lower}:${to}:O,upperdir=${upper},workdir=${work}`];
    }
  }
}

/** Both engines parse the value of --mount as a CSV line; their parser drops a carriage return at the end of a line. */
function quoteFields(engine: EngineName, fields: readonly string[]): string {
  if (fields.some(field => field.includes('\r')))
    throw refused(engine, 'it cannot mount a path with a carriage return');
  return fields.map(field => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

/** The values of --tmpfs and --volume can't be quoted. */
function requirePlain(engine: EngineName, path: string): string {
  if (/[:,\\\r\n]/.test(path)) throw refused(engine, `it cannot mount at ${JSON.stringify(path)}`);
  return path;
}

const refused = (runtime: EngineName, problem: string): Error =>
  carrelError('SANDBOX_REFUSED', { runtime, problem });

/**
 * The mounts that are visible in the end. Engines mount parent directories first and refuse two mounts at the same
 * path, so a mount that a later one covers has to be left out.
 */
function listVisibleMounts(mounts: readonly Mount[]): Mount[] {
  return mounts.filter((mount, at) => !mounts.slice(at + 1).some(later => isAtOrBelow(mount.to, later.to)));
}

const isAtOrBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
