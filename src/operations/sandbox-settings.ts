import { modelHostsOf } from '../agent/presets.js';
import type { EffectiveConfig } from '../config/effective-config.js';
import { parseDuration, parseSize } from '../domain/quantity.js';
import type { RuntimeName } from '../domain/runtime.js';
import type { Limits, Network, SandboxSettings } from '../domain/sandbox.js';

type Template = EffectiveConfig['templates'][string];
type ResourceLimits = NonNullable<NonNullable<EffectiveConfig['workspace']['container']>['resourceLimits']>;

/** What the configuration says of the sandbox of a workspace; a template's words are stronger. */
export function describeSandbox(config: EffectiveConfig, template: Template | undefined): SandboxSettings {
  const { sandbox } = config;
  const container = config.workspace.container ?? {};
  return {
    git: sandbox.git,
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
    readable: [...sandbox.readable],
    volumes: Object.entries(container.volumes ?? {}).map(([from, to]) => ({ from, to })),
    privileged: sandbox.privileged,
    engineSocket: sandbox.engineSocket,
  };
}

/** The container's own word, in the vocabulary of its engine, counts for whoever wrote it. */
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
 * What the user has to know of settings that take the sandbox's walls down; each is one sentence. Rights over the engine
 * are nothing to bubblewrap, which has none.
 */
export function warnOfWeakness(sandbox: SandboxSettings, runtime: RuntimeName): string[] {
  const isContainer = runtime !== 'bubblewrap';
  return [
    ...(isContainer && sandbox.privileged
      ? ['sandbox.privileged is on: commands inside have all rights of this machine']
      : []),
    ...(isContainer && sandbox.engineSocket
      ? ['sandbox.engineSocket is on: commands inside can start containers with all rights of the engine']
      : []),
    ...(sandbox.git === 'surgical'
      ? ["sandbox.git is surgical: commands inside can change the repository's refs and objects"]
      : []),
    ...(sandbox.nested ? ['sandbox.nested is on: programs inside can make namespaces of their own'] : []),
  ];
}
