import { killTree } from './kill-tree.js';
import { COMMAND_ID_VARIABLE } from './process-tree.js';
import type { RunRequest } from './run.js';

const DEFAULT_GRACE_MS = 2000;

/** The longest delay of a timer (24.8 days); Node takes a longer one for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export type EarlyEndReason = 'timed-out' | 'cancelled' | 'failed';

/** Ends a running tree before its time: at the time limit, on the caller's signal, or because our side failed. */
export interface EarlyEnd {
  reason(): EarlyEndReason | undefined;
  /** Ends the tree, if it still runs; `throwFailure` will throw the first such error. */
  fail(error: unknown): void;
  throwFailure(): void;
  /** Resolves only if the root itself could not be ended, so that its exit need not be waited for. */
  readonly rootSurvived: Promise<void>;
  /** To be called after the root's exit: from now on nothing is ended. Waits for the killing and gives the survivors. */
  finish(): Promise<readonly number[]>;
}

export function createEarlyEnd(pid: number, request: RunRequest): EarlyEnd {
  let reason: EarlyEndReason | undefined;
  let isOver = false;
  const failures: unknown[] = [];
  let killing: Promise<readonly number[]> = Promise.resolve([]);
  let giveUp = () => {};
  const rootSurvived = new Promise<void>(resolve => {
    giveUp = resolve;
  });

  const end = (why: EarlyEndReason): void => {
    if (reason || isOver) return;
    reason = why;
    killing = endTree(pid, request);
    // A rejection is seen in `finish`; until then the root counts as one that can't be ended.
    killing.then(survivors => survivors.includes(pid) && giveUp(), giveUp);
  };
  const disarm = arm(request, end);

  return {
    reason: () => reason,
    fail(error) {
      failures.push(error);
      end('failed');
    },
    throwFailure() {
      if (failures.length > 0) throw failures[0];
    },
    rootSurvived,
    finish() {
      isOver = true;
      disarm();
      return killing;
    },
  };
}

async function endTree(pid: number, request: RunRequest): Promise<readonly number[]> {
  const { survivors } = await killTree(
    { pid },
    { graceMs: request.graceMs ?? DEFAULT_GRACE_MS, marker: request.env[COMMAND_ID_VARIABLE] },
  );
  return survivors;
}

function arm({ timeoutMs, signal }: RunRequest, end: (why: EarlyEndReason) => void): () => void {
  const cancel = () => end('cancelled');
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => end('timed-out'), Math.min(timeoutMs, LONGEST_TIMER_MS));
  signal?.addEventListener('abort', cancel, { once: true });
  // It may have been aborted while the child was being started.
  if (signal?.aborted) cancel();
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  };
}
