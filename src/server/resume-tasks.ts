import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskRecord } from '../domain/task.js';
import { retryTask } from '../task/retry-task.js';
import { sweepTasks } from '../task/sweep-tasks.js';
import type { ServerContext } from './server-context.js';
import { beginTask } from './stories/accept-task.js';

/** A task that took its process down this often would do it again. */
const MOST_RESUMPTIONS = 2;
const LOOK_MS = 10_000;

/**
 * Goes on with tasks that a server has accepted and whose process died, now and for as long as the server runs: whoever
 * sent them may not be able to type a command. Those of the command line are told of, or resumed by the sweep when the
 * user's configuration says so. Gives what waits for the end, which comes with `stopping`.
 */
export async function keepResuming(server: ServerContext): Promise<void> {
  const givenUp = new Set<string>();
  while (!server.stopping.aborted) {
    await resumeTasks(server, givenUp).catch(error =>
      server.log.warn({ err: error }, 'tasks could not be looked after'),
    );
    await sleep(LOOK_MS, undefined, { signal: server.stopping }).catch(() => undefined);
  }
}

async function resumeTasks(server: ServerContext, givenUp: Set<string>): Promise<void> {
  await sweepTasks(server.app);
  const interrupted = await server.app.store.tasks.list({ statuses: ['interrupted'] });
  const accepted = interrupted.filter(({ plan, id }) => plan.request !== undefined && !givenUp.has(id));
  for (const task of accepted) if (!(await resume(server, task))) givenUp.add(task.id);
}

/** False when it is not to be tried again. */
async function resume(server: ServerContext, { id }: TaskRecord): Promise<boolean> {
  const { app, log } = server;
  const count = await countResumptions(server, id);
  if (count >= MOST_RESUMPTIONS) {
    log.warn({ task: id, count }, 'a task was interrupted again and is not resumed any more');
    return false;
  }
  try {
    await retryTask(app, { id, taker: 'another-process' });
    await beginTask(server, id);
    log.info({ task: id }, 'an interrupted task is resumed');
    return true;
  } catch (error) {
    // Another server, or a person, may have been faster.
    log.warn({ err: error, task: id }, 'an interrupted task could not be resumed');
    return false;
  }
}

/** More events than any task has in so many runs. */
const MOST_EVENTS = 10_000;

async function countResumptions({ app }: ServerContext, taskId: string): Promise<number> {
  const events = await app.store.events.list({ taskId, limit: MOST_EVENTS });
  return events.filter(({ type, data }) => type === 'task.retried' && data.from === 'interrupted').length;
}
