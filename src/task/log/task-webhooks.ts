import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CarrelEvent } from '../../domain/event.js';
import type { Task } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import { openWebhooks, type Webhooks } from '../../operations/webhook/open-webhooks.js';
import { taskPlace } from '../record/task-place.js';

const PAUSE_MS = 300;
/** Milliseconds after the end of a run that remaining events may take. */
const LONGEST_FLUSH_MS = 15_000;
const MOST_AT_ONCE = 100;

/**
 * Sends the events of a task to the user's webhooks while this process runs it, in order, also those since an earlier
 * process did. The returned function sends what is left, for a limited time. Neither delays or fails the task.
 */
export async function startTaskWebhooks(
  context: Pick<Context, 'store' | 'now' | 'places' | 'environment' | 'redactor' | 'loadConfig'>,
  id: string,
  report: (problem: string) => void,
): Promise<() => Promise<void>> {
  const webhooks = await openWebhooks(context, report).catch(error => void report(String(error)));
  if (!webhooks) return async () => undefined;
  const ended = new AbortController();
  const late = new AbortController();
  const done = follow(context, id, webhooks, { ended: ended.signal, late: late.signal }).catch(error =>
    report(`cannot read the events for the webhooks: ${error instanceof Error ? error.message : error}`),
  );
  return async () => {
    ended.abort();
    const timer = setTimeout(() => late.abort(), LONGEST_FLUSH_MS);
    await done;
    clearTimeout(timer);
  };
}

/** For a change that another process than the one that runs the task has made. */
export async function flushTaskWebhooks(context: Context, id: string): Promise<void> {
  const report = (problem: string) => context.narrate(`warning: ${problem}`);
  await (await startTaskWebhooks(context, id, report))();
}

interface Signals {
  /** The run is over: send what is there, then stop. */
  readonly ended: AbortSignal;
  /** Give up. */
  readonly late: AbortSignal;
}

async function follow(
  context: Pick<Context, 'store' | 'places'>,
  id: string,
  webhooks: Webhooks,
  { ended, late }: Signals,
): Promise<void> {
  const file = join(taskPlace(context.places.stateDir, id).directory, 'webhooks-sent');
  const sent = Number(await readFile(file, 'utf8').catch(() => '0'));
  // Webhooks that were added later do not get the history of earlier runs.
  const { runs = [] } = (await context.store.tasks.find(id)) ?? {};
  const since = sent > 0 || runs.length < 2 ? '' : (runs.at(-1)?.startedAt ?? '');
  let after = sent;
  while (!late.aborted) {
    // Before the events are read, so that they include the last one.
    const isLast = ended.aborted;
    const events = await context.store.events.list({ taskId: id, after, limit: MOST_AT_ONCE });
    for (const event of events) {
      if (event.at >= since) await webhooks.send(await describe(context, event), late);
      if (late.aborted) return;
      after = event.sequence;
      await writeFile(file, String(after)).catch(() => undefined);
    }
    if (events.length > 0) continue;
    if (isLast) return;
    await sleep(PAUSE_MS, undefined, { signal: ended }).catch(() => undefined);
  }
}

async function describe(
  { store }: Pick<Context, 'store'>,
  { sequence, type, at, data, taskId }: CarrelEvent,
) {
  const task = taskId === null ? undefined : await store.tasks.find(taskId);
  return { type, id: `event-${sequence}`, at, content: { task: task && summarize(task), data } };
}

const summarize = ({
  id,
  description,
  status,
  repository,
  workflow,
  branch,
  head,
  issue,
  failure,
}: Task) => ({
  id,
  description,
  status,
  repository,
  workflow,
  branch,
  head,
  issue,
  failure: failure && { kind: failure.kind, message: failure.message },
});
