import { carrelError } from '../../domain/error.js';
import type { Mount, Policy } from '../policy.js';
import type { EngineName } from './engine.js';
import { listVisibleMounts } from './visible-mounts.js';

export interface ContainerOptions {
  readonly engine: EngineName;
  readonly image: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** A file with the profile of ociSeccompProfile. */
  readonly seccompFile: string;
  /** podman of an ordinary user: without more, its files would belong to a sub-id, and the user could not remove them. */
  readonly isRootless: boolean;
  /** Most bytes of each memory file system that the policy says nothing of. */
  readonly scratchBytes: number;
  /**
   * What this process itself may have at most, -1 for no limit. With any limit given, podman drops those of its own
   * configuration and asks for its default number of files, which a root without CAP_SYS_RESOURCE is refused (seen with
   * podman 4.3 and runc).
   */
  readonly hardLimits: { readonly openFiles: number; readonly processes: number };
  /** What the container does until it is stopped. */
  readonly command: readonly [string, ...string[]];
}

/**
 * The policy as what follows `podman run` and `docker run`, image and command included. The environment is not in it:
 * it comes with each command, because arguments can be read by every user of the machine, and `inspect` shows them.
 */
export function containerArguments(policy: Policy, options: ContainerOptions): string[] {
  const [entrypoint, ...rest] = options.command;
  return [
    ...['--name', options.name],
    ...Object.entries(options.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    // The image's own entry point and health check are programs of somebody else's choice, and fetching is not ours.
    ...['--entrypoint', entrypoint, '--no-healthcheck', '--pull', 'never', '--log-driver', 'none'],
    ...(options.engine === 'podman' ? ['--http-proxy=false'] : []),
    ...renderRights(policy, options),
    ...['--ipc', 'private', '--cgroupns', 'private', '--hostname', policy.hostname],
    ...['--network', policy.network === 'none' ? 'none' : NETWORK_OF_ITS_OWN[options.engine]],
    ...renderUser(policy, options),
    ...renderLimits(policy, options),
    ...renderMounts(policy, options),
    // Not the workspace: nothing of it is held by the process that only waits.
    ...['--workdir', '/'],
    options.image,
    ...rest,
  ];
}

/** Behind a translation of addresses, in both; podman's is another one for an ordinary user. */
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
 * A sandbox within mounts a /proc of its own, which the kernel refuses where the engine covers parts of the one at hand.
 * For root they stay covered: without, it could write the machine's settings.
 */
function allowNested({ nested, user }: Policy, engine: EngineName): string[] {
  if (!nested || user.uid === 0) return [];
  return engine === 'podman' ? ['unmask=ALL'] : ['systempaths=unconfined', 'apparmor=unconfined'];
}

function renderUser({ user }: Policy, { isRootless }: ContainerOptions): string[] {
  return ['--user', `${user.uid}:${user.gid}`, ...(isRootless ? ['--userns', 'keep-id'] : [])];
}

function renderLimits({ limits }: Policy, { engine, hardLimits }: ContainerOptions): string[] {
  const { cpu, memory, memorySwap = memory, pids, fileSize } = limits;
  const ofPodman =
    engine === 'podman'
      ? [`nofile=${twice(hardLimits.openFiles)}`, `nproc=${twice(hardLimits.processes)}`]
      : [];
  return [
    ...(cpu === undefined ? [] : ['--cpus', String(cpu)]),
    // Without the second, as much swap again is granted.
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
      if (engine === 'docker') throw refused(engine, 'it makes no overlays of directories of the host');
      const [lower, to, upper, work] = [mount.lower, mount.to, mount.upper, mount.work].map(path =>
        requirePlain(engine, path),
      );
      return ['--volume', `${lower}:${to}:O,upperdir=${upper},workdir=${work}`];
    }
  }
}

/** Both engines read the value of --mount as a line of CSV; their reader drops the carriage return of a line's end. */
function quoteFields(engine: EngineName, fields: readonly string[]): string {
  if (fields.some(field => field.includes('\r')))
    throw refused(engine, 'it can not mount a path with a carriage return');
  return fields.map(field => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

/** There is no quoting in the values of --tmpfs and --volume. */
function requirePlain(engine: EngineName, path: string): string {
  if (/[:,\\\r\n]/.test(path)) throw refused(engine, `it can not mount at ${JSON.stringify(path)}`);
  return path;
}

const refused = (runtime: EngineName, problem: string): Error =>
  carrelError('SANDBOX_REFUSED', { runtime, problem });
