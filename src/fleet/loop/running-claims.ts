import type { Claim, ClaimEnd } from '../engine/engine.js';
import type { HostReport } from '../engine/host.js';

/** One claim of this host, from its handler's start until it is recorded. */
export interface RunningClaim {
  readonly claim: Claim;
  readonly abort: AbortController;
  /** What the handler said last, and has not been written yet. */
  unwritten: HostReport | undefined;
  /** The highest cost that the handler reported and that is reserved. */
  coveredUsd: number;
  /** Its handler has returned; only the result is left. */
  isFinished: boolean;
}

/** What a host is doing. */
export interface RunningClaims {
  readonly all: ReadonlyMap<string, RunningClaim>;
  add(claim: Claim): RunningClaim;
  remove(claim: Claim): void;
  /** Handlers that have not returned. */
  readonly busy: number;
  /** Aborts a handler, once. */
  end(running: RunningClaim, reason: ClaimEnd): void;
  endAll(reason: ClaimEnd): void;
}

export function createRunningClaims(): RunningClaims {
  const all = new Map<string, RunningClaim>();
  const end = (running: RunningClaim, reason: ClaimEnd): void => {
    if (!running.isFinished && !running.abort.signal.aborted) running.abort.abort(reason);
  };
  return {
    all,
    add: claim => {
      const abort = new AbortController();
      const running = { claim, abort, unwritten: undefined, coveredUsd: 0, isFinished: false };
      all.set(claim.id, running);
      return running;
    },
    remove: claim => void all.delete(claim.id),
    get busy() {
      return [...all.values()].filter(running => !running.isFinished).length;
    },
    end,
    endAll: reason => {
      for (const running of all.values()) end(running, reason);
    },
  };
}
