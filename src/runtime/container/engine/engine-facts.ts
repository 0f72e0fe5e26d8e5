import type { LimitName } from '../../../domain/sandbox/runtime-finding.js';
import { type Engine, lastLine } from './engine.js';
import { engineFailed } from './inspect-container.js';

/** What an engine reports about itself. */
export interface EngineFacts {
  readonly isRootless: boolean;
  /** The limits that it can enforce on containers. */
  readonly limits: readonly LimitName[];
}

/** SANDBOX_REFUSED when it does not answer. */
export async function readEngineFacts(engine: Engine): Promise<EngineFacts> {
  const result = await engine.call(['info', '--format', '{{json .}}']);
  if (result.exitCode !== 0) throw engineFailed(engine, lastLine(result));
  const info = JSON.parse(result.stdout.toString('utf8'));
  return engine.name === 'podman' ? fromPodman(info) : fromDocker(info);
}

/** The kernel limits the size of a file; Carrel limits time and disk. */
const ALWAYS: readonly LimitName[] = ['fileSize', 'disk', 'time'];

interface PodmanInfo {
  readonly host: {
    readonly cgroupVersion?: string;
    readonly cgroupControllers?: readonly string[] | null;
    readonly security?: { readonly rootless?: boolean };
  };
}

/**
 * Without root, podman can limit nothing on cgroups of version 1, and on version 2 only what was delegated to the user. It
 * then ignores limits and exits with 0 (seen with 4.3), so what it lists is what counts.
 */
function fromPodman({ host }: PodmanInfo): EngineFacts {
  const isRootless = host.security?.rootless === true;
  const controllers = isRootless && host.cgroupVersion === 'v1' ? [] : (host.cgroupControllers ?? []);
  const held = (['cpu', 'memory', 'pids'] as const).filter(name => controllers.includes(name));
  return { isRootless, limits: [...held, ...ALWAYS] };
}

interface DockerInfo {
  readonly SecurityOptions?: readonly string[] | null;
  readonly CpuCfsQuota?: boolean;
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
}

function fromDocker(info: DockerInfo): EngineFacts {
  const held: readonly [LimitName, boolean | undefined][] = [
    ['cpu', info.CpuCfsQuota],
    ['memory', info.MemoryLimit],
    ['pids', info.PidsLimit],
  ];
  return {
    isRootless: (info.SecurityOptions ?? []).includes('name=rootless'),
    limits: [...held.flatMap(([name, isHeld]) => (isHeld ? [name] : [])), ...ALWAYS],
  };
}
