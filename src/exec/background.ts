import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { identifyProcess } from './process-identity.js';

export interface BackgroundRequest {
  /** Program and arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Exactly this; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** A directory that nobody will want to remove or unmount meanwhile. */
  readonly cwd: string;
  /** Low, unless somebody waits for what it does. */
  readonly priority?: BackgroundPriority | undefined;
}

export type BackgroundPriority = 'low' | 'normal';

/**
 * Starts a process that outlives this one, in a session of its own (so that it survives its terminal), with nothing to read or to
 * say.
 * Gives who it is, so that work can be handed to it in the store: it should not begin before it finds itself there.
 * Undefined when it could not be started or has ended already; what it was to do is then left to whoever comes next.
 */
export function startBackground(request: BackgroundRequest): ProcessIdentity | undefined {
  const [program, ...args] = request.command;
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...request.environment },
    stdio: 'ignore',
    detached: true,
  });
  // Told again by the missing pid; without a listener it would end this process.
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined) return undefined;
  if (request.priority !== 'normal') lowerPriority(child.pid);
  return identifyProcess(child.pid);
}

/** What it starts inherits the priority. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended by itself; or the system does not let us, and then it is merely not as quiet.
  }
}
