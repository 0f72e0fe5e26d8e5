import type { PoolFailure, PoolManagerOptions } from '../../../src/pool/pool-manager.js';

/** One call of a callback that the test has yet to end, well or badly. */
export interface PendingCall {
  readonly during: PoolFailure['during'];
  readonly value: number;
  succeed(): void;
  fail(): void;
}

/** Callbacks for a pool of numbers: nothing ends before the test says so, and what exists is counted. */
export interface Workshop extends Omit<PoolManagerOptions<number>, 'maxSlots'> {
  readonly pending: readonly PendingCall[];
  readonly failures: readonly PoolFailure[];
  /** Values being made, there, or being destroyed. */
  readonly alive: ReadonlySet<number>;
}

export function createWorkshop(): Workshop {
  const pending: PendingCall[] = [];
  const failures: PoolFailure[] = [];
  const alive = new Set<number>();
  let made = 0;
  const call = (during: PoolFailure['during'], value: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void, isGone: boolean) => () => {
        pending.splice(pending.indexOf(entry), 1);
        if (isGone) alive.delete(value);
        settle();
      };
      const entry: PendingCall = {
        during,
        value,
        succeed: end(resolve, during === 'destroy'),
        fail: end(() => reject(new Error(`${during} ${value}`)), during !== 'reset'),
      };
      pending.push(entry);
    });
  return {
    pending,
    failures,
    alive,
    create: async () => {
      const value = ++made;
      alive.add(value);
      await call('create', value);
      return value;
    },
    reset: value => call('reset', value),
    destroy: value => call('destroy', value),
    onFailure: failure => failures.push(failure),
  };
}

/** Lets everything happen that needs no further push. */
export const settleDown = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
