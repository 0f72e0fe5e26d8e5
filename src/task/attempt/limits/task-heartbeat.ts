import { isCarrelError } from '../../../domain/error/error.js';
import type { Context } from '../../../operations/context.js';

/** Sends heartbeats for a task, and notices cancel requests from other processes. */
export interface TaskHeartbeat {
  /** Aborted when the task is to be cancelled, or this process no longer owns it. */
  readonly signal: AbortSignal;
  /** Why it was aborted. After `lost` this process must not change the task. */
  reason(): 'cancelled' | 'lost' | undefined;
  /** Call before the task is released, or its loss is reported. Idempotent. */
  stop(): void;
}

/** How soon a cancel request is noticed. */
const BEAT_MS = 500;

export function startHeartbeat(context: Pick<Context, 'store' | 'now' | 'self'>, id: string): TaskHeartbeat {
  const controller = new AbortController();
  let reason: ReturnType<TaskHeartbeat['reason']>;
  let isStopped = false;
  let isBeating = false;
  const stop = (): void => {
    isStopped = true;
    clearInterval(timer);
  };
  const lose = (): void => {
    reason = 'lost';
    stop();
    controller.abort();
  };
  // Otherwise the database may be busy or the disk full: the next heartbeat tries again.
  const lookForLoss = (error: unknown): void => {
    if (!isStopped && isCarrelError(error, 'STATE_LOST')) lose();
  };
  const beat = async (): Promise<void> => {
    const at = new Date(context.now()).toISOString();
    const answer = await context.store.tasks.beat(id, context.self, at);
    if (isStopped || answer?.cancelRequested === false) return;
    if (!answer) return lose();
    // Stopping the task takes a while; heartbeats continue until then.
    reason = 'cancelled';
    controller.abort();
  };
  const timer = setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    beat()
      .catch(lookForLoss)
      .finally(() => {
        isBeating = false;
      });
  }, BEAT_MS).unref();
  return { signal: controller.signal, reason: () => reason, stop };
}
