import type { Context } from '../operations/context.js';

/** Shows others that this process works on a task, and learns from them when it is to stop. */
export interface KeptAlive {
  /** Aborted when the task is to be cancelled, or is no longer ours. */
  readonly signal: AbortSignal;
  /** Why it was aborted. After `lost` nothing may be done for the task any more. */
  reason(): 'cancelled' | 'lost' | undefined;
  /** To be called before the task is given up, or its loss is told. Idempotent. */
  stop(): void;
}

/** How soon a wish to cancel is heard. */
const BEAT_MS = 500;

export function keepAlive(context: Context, id: string): KeptAlive {
  const controller = new AbortController();
  let reason: ReturnType<KeptAlive['reason']>;
  let isStopped = false;
  let isBeating = false;
  const stop = (): void => {
    isStopped = true;
    clearInterval(timer);
  };
  const beat = async (): Promise<void> => {
    const at = new Date(context.now()).toISOString();
    const answer = await context.store.tasks.beat(id, context.self, at);
    if (isStopped || answer?.cancelRequested === false) return;
    reason = answer ? 'cancelled' : 'lost';
    // Ending the task takes a while, and until then it is to be seen that somebody is at it.
    if (!answer) stop();
    controller.abort();
  };
  const timer = setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    // The database may be busy or the disk full: the next beat tries again.
    beat()
      .catch(() => undefined)
      .finally(() => {
        isBeating = false;
      });
  }, BEAT_MS).unref();
  return { signal: controller.signal, reason: () => reason, stop };
}
