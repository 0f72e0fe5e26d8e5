import type { BatchPlan, BatchRun } from '../../domain/batch/batch-run.js';
import type { BATCH_EVENTS } from '../../domain/event.js';
import type { Context } from '../../operations/context.js';
import { openWebhooks } from '../../operations/webhook/open-webhooks.js';

/** Milliseconds after the end of a batch that remaining events may take. */
const LONGEST_FLUSH_MS = 15_000;

type BatchEvent = (typeof BATCH_EVENTS)[number];

/**
 * Sends the start of a batch to the user's webhooks. The returned function sends how it ended, and waits for both for a
 * limited time. Neither delays or fails the batch.
 */
export async function startBatchWebhooks(
  context: Pick<Context, 'now' | 'environment' | 'redactor' | 'loadConfig' | 'narrate'>,
  plan: BatchPlan,
): Promise<(ended: BatchRun) => Promise<void>> {
  const report = (problem: string) => context.narrate(`warning: ${problem}`);
  const webhooks = await openWebhooks(context, report).catch(error => void report(String(error)));
  if (!webhooks) return async () => undefined;
  const late = new AbortController();
  const send = (type: BatchEvent, more: object): Promise<void> => {
    const at = new Date(context.now()).toISOString();
    const { id, dataset, agent, model, isolation, attemptsPerTask, taskIds } = plan;
    const batch = { id, dataset, agent, model, isolation, attemptsPerTask, tasks: taskIds.length, ...more };
    return webhooks.send(
      { type, id: `${id}-${type}-${Date.parse(at)}`, at, content: { batch } },
      late.signal,
    );
  };
  const started = send('batch.started', {});
  return async ({ status, totals, passRate, costUsd, durationMs }) => {
    const timer = setTimeout(() => late.abort(), LONGEST_FLUSH_MS);
    await started;
    const type = status === 'finished' ? 'batch.finished' : 'batch.stopped';
    await send(type, { status, totals, passRate, costUsd, durationMs });
    clearTimeout(timer);
  };
}
