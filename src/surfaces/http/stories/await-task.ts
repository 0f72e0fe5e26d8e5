import type { CarrelEvent } from '../../../domain/event.js';
import type { ServerContext } from '../server-context.js';

/** Waits until the task stops, a given event occurs, or the time is over. */
export async function awaitTask(
  { events, stopping }: ServerContext,
  taskId: string,
  until: {
    readonly milliseconds: number;
    readonly signal: AbortSignal;
    readonly event?: CarrelEvent['type'];
  },
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(until.milliseconds), until.signal, stopping]);
  for await (const { type } of events.follow({ after: 0, taskId, signal })) if (type === until.event) return;
}
