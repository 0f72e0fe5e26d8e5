import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { identifyProcess } from './process/identify-process.js';

export interface BackgroundRequest {
  /** Program and arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Exactly this; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** A directory that will not be removed or unmounted in the meantime. */
  readonly cwd: string;
  /** Low, unless a caller waits for it. */
  readonly priority?: BackgroundPriority | undefined;
}

export type BackgroundPriority = 'low' | 'normal';

/**
 * Starts a process that outlives this one, in its own session (so that it survives its terminal), without input and output. Returns its
 * identity, so that work can be handed to it in the store: it should not start before it finds itself there. Undefined when it could
 * not be started or has already exited; its work is then left to the next command.
 */
export function startBackground(request: BackgroundRequest): ProcessIdentity | undefined {
  const [program, ...args] = request.command;
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...request.environment },
    stdio: 'ignore',
    detached: true,
  });
  // The missing pid reports it too; without a listener this process would crash.
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined) return undefined;
  if (request.priority !== 'normal') lowerPriority(child.pid);
  return identifyProcess(child.pid);
}

/** What it starts inherits the priority. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has exited, or the system refuses; then it just runs with normal priority.
  }
}
