import { bindKeys } from '../../agent/presets/key-hosts.js';
import { modelHostsOf } from '../../agent/presets.js';
import type { EffectiveConfig } from '../../config/effective-config.js';
import { parseDuration, parseSize } from '../../domain/quantity/quantity.js';
import type { RuntimeName } from '../../domain/sandbox/runtime-finding.js';
import type { Limits, Network, SandboxSettings } from '../../domain/sandbox/sandbox.js';

type Template = EffectiveConfig['templates'][string];
type ResourceLimits = NonNullable<NonNullable<EffectiveConfig['workspace']['container']>['resourceLimits']>;

/** The sandbox settings of a workspace; a template overrides the configuration. */
export function describeSandbox(config: EffectiveConfig, template: Template | undefined): SandboxSettings {
  const { sandbox } = config;
  const container = config.workspace.container ?? {};
  return {
    git: sandbox.git,
    ...(sandbox.hooks !== 'hide' && { hooks: sandbox.hooks }),
    network: chooseNetwork(config, template),
    allow: [...new Set([...sandbox.allow, ...modelHostsOf(template?.agent)])],
    nested: sandbox.nested === 'allow',
    limits: parseLimits({ ...container.resourceLimits, ...template?.limits }),
    enforcement: sandbox.limits,
    image: template?.image ?? container.image ?? null,
    user: container.user ?? null,
    workingDirectory: container.workingDir ?? null,
    environment: { ...container.environment },
    passEnvironment: [...sandbox.passEnvironment],
    ...(sandbox.keys === 'proxy' && { keys: bindKeys(sandbox.keyHosts) }),
    readable: [...sandbox.readable],
    volumes: Object.entries(container.volumes ?? {}).map(([from, to]) => ({ from, to })),
    privileged: sandbox.privileged,
    engineSocket: sandbox.engineSocket,
  };
}

/** Settings in the container's own vocabulary count like those of the file that has them. */
function chooseNetwork({ sandbox, workspace }: EffectiveConfig, template: Template | undefined): Network {
  const mode = workspace.container?.networkMode;
  const ofContainer = mode === undefined ? undefined : mode === 'bridge' ? 'full' : 'none';
  return template?.network ?? ofContainer ?? sandbox.network;
}

function parseLimits(limits: ResourceLimits): Limits {
  const size = (text: string | undefined) => (text === undefined ? undefined : parseSize(text));
  const { cpu, memory, memorySwap, pids, fileSize, disk, time } = limits;
  return withoutUndefined({
    cpu,
    pids,
    memory: size(memory),
    memorySwap: size(memorySwap),
    fileSize: size(fileSize),
    disk: size(disk),
    time: time === undefined ? undefined : parseDuration(time),
  });
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

/**
 * Warnings about settings that weaken the sandbox; each is one sentence. Engine privileges don't apply to bubblewrap and seatbelt, which
 * have no engine; seatbelt refuses them.
 */
export function warnOfWeakness(sandbox: SandboxSettings, runtime: RuntimeName): string[] {
  const isContainer = runtime === 'podman' || runtime === 'docker';
  return [
    ...(isContainer && sandbox.privileged
      ? ['sandbox.privileged is on: commands inside have all privileges on this machine']
      : []),
    ...(isContainer && sandbox.engineSocket
      ? ['sandbox.engineSocket is on: commands inside can start containers with all privileges of the engine']
      : []),
    ...(sandbox.git === 'surgical'
      ? ["sandbox.git is surgical: commands inside can change the repository's refs and objects"]
      : []),
    ...(sandbox.network === 'host'
      ? [
          'sandbox.network is host: commands inside can reach every service on this machine, including loopback and abstract sockets',
        ]
      : []),
    ...(isContainer && sandbox.network === 'full'
      ? [
          `sandbox.network is full with ${runtime}: commands inside can reach services on this machine that listen on all addresses; with bubblewrap they cannot`,
        ]
      : []),
    ...(sandbox.nested ? ['sandbox.nested is on: programs inside can create namespaces'] : []),
  ];
}
