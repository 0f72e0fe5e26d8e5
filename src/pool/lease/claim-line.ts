import { carrelError } from '../../domain/error/error.js';
import { type Patience, WaitingLine } from '../waiting-line.js';

/** The callers in this process that want a slot: they look for one in turn, in order of request. */
export interface ClaimLine {
  /** Number of waiting callers, including the one that is looking. */
  waiting(): number;
  /** Runs `look` when it is the caller's turn. It is given a way to pause until a slot may have come free here. */
  inTurn<T>(patience: Patience, look: (onPause: (wake: () => void) => void) => Promise<T>): Promise<T>;
  /** A slot came free in this process. */
  wake(): void;
  /** Rejects all waiting callers. */
  close(error: unknown): void;
}

export function createClaimLine(cap: number): ClaimLine {
  const line = new WaitingLine<void>();
  let isTaken = false;
  let wakePausing: (() => void) | undefined;
  const passOn = (): void => {
    wakePausing = undefined;
    isTaken = line.serve(() => undefined);
  };
  return {
    waiting: () => line.length + (wakePausing ? 1 : 0),
    inTurn: async (patience, look) => {
      if (isTaken) {
        await line.join(patience, waitedMs => carrelError('ACQUIRE_TIMED_OUT', { waitedMs, cap }));
      }
      isTaken = true;
      try {
        return await look(wake => {
          wakePausing = wake;
        });
      } finally {
        passOn();
      }
    },
    wake: () => wakePausing?.(),
    close: error => {
      while (line.turnAway(error));
    },
  };
}
