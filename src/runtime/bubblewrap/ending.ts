import { askBelow } from '../../exec/halt.js';
import { identifyProcess } from '../../exec/process-identity.js';
import type { SandboxRoot } from '../../exec/sandbox-processes.js';
import type { SandboxCommand } from '../runtime.js';

export type EndReason = 'timed-out' | 'time-limit' | 'disk-limit' | 'cancelled';

/**
 * Ends a command before its time. First everything inside is asked to end, and bubblewrap is not: it would go at once and
 * take all with it, and nobody inside would have had the grace to finish. After that the whole tree is killed.
 */
export interface Ending {
  /** Aborted when it is to be killed. */
  readonly signal: AbortSignal;
  reason(): EndReason | undefined;
  begin(reason: EndReason): void;
  /** To be called with bubblewrap's own process. */
  started(pid: number): void;
  /** To be called when it has ended: nothing is asked or killed from now on. */
  finish(): void;
}

const DEFAULT_GRACE_MS = 2000;
/** The longest delay of a timer (24.8 days); Node takes a longer one for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createEnding(
  workspaceId: string,
  command: SandboxCommand,
  timeLimitMs: number | undefined,
): Ending {
  const kill = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let root: SandboxRoot | undefined;
  let reason: EndReason | undefined;
  let isOver = false;
  const begin = (why: EndReason): void => {
    if (reason || isOver) return;
    reason = why;
    const graceMs = command.graceMs ?? DEFAULT_GRACE_MS;
    if (graceMs > 0 && isAsked(root)) timers.push(setTimeout(() => kill.abort(), graceMs));
    else kill.abort();
  };
  const cancel = (): void => begin('cancelled');
  const arm = (limitMs: number | undefined, why: EndReason): void => {
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

/** Nobody can be asked before the start, or when the table of processes can't be read; then it is killed at once. */
function isAsked(root: SandboxRoot | undefined): boolean {
  try {
    if (root) askBelow(root);
    return root !== undefined;
  } catch {
    return false;
  }
}
