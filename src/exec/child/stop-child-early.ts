import { COMMAND_ID_VARIABLE } from '../process/process-tree.js';
import type { RunRequest } from '../run-process.js';
import { killTree } from '../stop/kill-tree.js';

const DEFAULT_GRACE_MS = 2000;

/** The longest delay of a timer (24.8 days); Node treats a longer one as 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export type EarlyStopReason = 'timed-out' | 'cancelled' | 'failed';

/** Kills a running tree early: at the time limit, on the caller's signal, or because our side failed. */
export interface EarlyStop {
  reason(): EarlyStopReason | undefined;
  /** Kills the tree, if it still runs; `throwFailure` will throw the first such error. */
  fail(error: unknown): void;
  throwFailure(): void;
  /** Resolves only if the root itself could not be killed, so that its exit need not be awaited. */
  readonly rootSurvived: Promise<void>;
  /**
   * Call it after the root has exited: from then on nothing is killed. Waits for the killing and returns the survivors.
   */
  finish(): Promise<readonly number[]>;
}

export function createEarlyStop(pid: number, request: RunRequest): EarlyStop {
  let reason: EarlyStopReason | undefined;
  let isOver = false;
  const failures: unknown[] = [];
  let killing: Promise<readonly number[]> = Promise.resolve([]);
  let giveUp = () => {};
  const rootSurvived = new Promise<void>(resolve => {
    giveUp = resolve;
  });

  const end = (why: EarlyStopReason): void => {
    if (reason || isOver) return;
    reason = why;
    killing = killWholeTree(pid, request);
    // A rejection is handled in `finish`; until then the root counts as one that can't be killed.
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

async function killWholeTree(pid: number, request: RunRequest): Promise<readonly number[]> {
  const { survivors } = await killTree(
    { pid },
    { graceMs: request.graceMs ?? DEFAULT_GRACE_MS, marker: request.env[COMMAND_ID_VARIABLE] },
  );
  return survivors;
}

function arm({ timeoutMs, signal }: RunRequest, end: (why: EarlyStopReason) => void): () => void {
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
