import { identifyProcess } from '../../exec/process/identify-process.js';
import { terminateBelow } from '../../exec/stop/halt-processes.js';
import type { SandboxRoot } from '../../exec/stop/sandbox-processes.js';
import type { SandboxCommand } from '../runtime.js';

export type StopReason = 'timed-out' | 'time-limit' | 'disk-limit' | 'cancelled';

/**
 * Stops a command early. First everything inside gets SIGTERM, but not bubblewrap: it would exit at once and kill everything, without a
 * grace period. After that the whole tree is killed.
 */
export interface EarlyStop {
  /** Aborted when it must be killed. */
  readonly signal: AbortSignal;
  reason(): StopReason | undefined;
  begin(reason: StopReason): void;
  /** Call it with the pid of bubblewrap itself. */
  started(pid: number): void;
  /** Call it after the exit: from then on nothing is signalled. */
  finish(): void;
}

const DEFAULT_GRACE_MS = 2000;
/** The longest delay of a timer (24.8 days); Node treats a longer one as 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createEarlyStop(
  workspaceId: string,
  command: SandboxCommand,
  timeLimitMs: number | undefined,
): EarlyStop {
  const kill = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let root: SandboxRoot | undefined;
  let reason: StopReason | undefined;
  let isOver = false;
  const begin = (why: StopReason): void => {
    if (reason || isOver) return;
    reason = why;
    const graceMs = command.graceMs ?? DEFAULT_GRACE_MS;
    if (graceMs > 0 && isTerminated(root)) timers.push(setTimeout(() => kill.abort(), graceMs));
    else kill.abort();
  };
  const cancel = (): void => begin('cancelled');
  const arm = (limitMs: number | undefined, why: StopReason): void => {
    if (limitMs === undefined) return;
    timers.push(setTimeout(() => begin(why), Math.min(limitMs, LONGEST_TIMER_MS)));
  };
  arm(command.timeoutMs, 'timed-out');
  arm(timeLimitMs, 'time-limit');
  command.signal?.addEventListener('abort', cancel, { once: true });
  if (command.signal?.aborted) cancel();
  return {
    signal: kill.signal,
    reason: () => reason,
    begin,
    started(pid) {
      const identity = identifyProcess(pid);
      root = identity && { workspaceId, identity };
    },
    finish() {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      command.signal?.removeEventListener('abort', cancel);
    },
  };
}

/** Before the start, or when the process table can't be read, SIGTERM is not possible; then it is killed at once. */
function isTerminated(root: SandboxRoot | undefined): boolean {
  try {
    if (root) terminateBelow(root);
    return root !== undefined;
  } catch {
    return false;
  }
}
