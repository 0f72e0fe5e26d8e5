import { realpathSync } from 'node:fs';
import { carrelError } from '../../domain/error/error.js';
import type { RunProcess } from '../../exec/run-process.js';
import { haltSandbox, killSandbox, resumeSandbox } from '../../exec/stop/sandbox-control.js';
import { requireEnforceable } from '../limits/enforceable-limits.js';
import type { Mount, Policy } from '../policy.js';
import type { Runtime, Sandbox } from '../runtime.js';
import { execInSeatbelt } from './execute-command.js';
import { requireExpressible } from './expressible.js';
import { findObstacle, probeSeatbelt, SEATBELT_LIMITS } from './probe.js';
import { findRunning } from './running-commands.js';

export interface SeatbeltRuntimeOptions {
  readonly run: RunProcess;
  /** As of `process.platform`. */
  readonly platform: string;
  readonly program: string;
  readonly uid: number;
  /** Directories of the user and of Carrel, of which only what a policy names is visible. Real paths. */
  readonly hidden: readonly string[];
  /** For files of the runtime itself. */
  readonly directory: string;
}

/** Part of macOS; never another program from PATH. */
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/**
 * Experimental. The macOS kernel decides about every file and connection by rules; there is no other file system view,
 * and commands are ordinary processes of the machine. A daemon that left its parents, and whose environment is wiped or
 * hidden by macOS, stays under its rules, but is not found by `pause`, `stop` and `list`.
 */
export function createSeatbeltRuntime(options: SeatbeltRuntimeOptions): Runtime {
  return {
    name: 'seatbelt',
    capabilities: {
      isolates: true,
      images: false,
      overlays: false,
      longLived: true,
      mounts: false,
      namespaces: false,
    },
    probe: () => probeSeatbelt(options),
    open: async (id, policy) => open(options, id, policy),
    stop: id => killSandbox('seatbelt', id, (_, workspaceId) => findRunning(options.directory, workspaceId)),
    list: async () => listRunning(options),
  };
}

function open(options: SeatbeltRuntimeOptions, id: string, policy: Policy): Sandbox {
  const obstacle = findObstacle(options);
  if (obstacle) {
    const { message: problem, hint: advice } = obstacle;
    const details = { runtime: 'seatbelt', obstacle: String(obstacle.obstacle), problem, advice };
    throw carrelError('RUNTIME_UNAVAILABLE', details);
  }
  requireExpressible(policy, options.uid);
  requireEnforceable('seatbelt', policy, SEATBELT_LIMITS, 'macOS cannot enforce it');
  const real = { ...policy, mounts: policy.mounts.flatMap(withRealPath) };
  return {
    run: command => execInSeatbelt(options, id, real, command),
    pause: () => haltSandbox('seatbelt', id, () => findRunning(options.directory, id)),
    resume: async () => resumeSandbox('seatbelt', id, () => findRunning(options.directory, id)),
  };
}

/** The kernel decides about the real path of a file, with the case on disk; a link is a file itself. */
function withRealPath(mount: Mount): Mount[] {
  const real = realPathOf(mount.to);
  return real === mount.to ? [mount] : [mount, { ...mount, from: real, to: real } as Mount];
}

/** A missing path has no other name. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Without probes, which exit by themselves. */
function listRunning({ directory }: SeatbeltRuntimeOptions): string[] {
  const ids = findRunning(directory).map(({ workspaceId }) => workspaceId);
  return [...new Set(ids)].filter(id => !id.startsWith('.'));
}
