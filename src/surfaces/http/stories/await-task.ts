import type { ServerContext } from '../server-context.js';

/** Waits until the task stops, or the time is over. */
export async function awaitTask(
  { events, stopping }: ServerContext,
  taskId: string,
  until: { readonly milliseconds: number; readonly signal: AbortSignal },
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(until.milliseconds), until.signal, stopping]);
  for await (const _ of events.follow({ after: 0, taskId, signal }));
}
