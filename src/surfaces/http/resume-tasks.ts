import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskRecord } from '../../domain/task/task.js';
import { recoverTasks } from '../../task/recovery/recover-tasks.js';
import { retryTask } from '../../task/recovery/retry-task.js';
import type { ServerContext } from './server-context.js';
import { beginTask } from './stories/accept-task.js';

/** A task that killed its process this often would do it again. */
const MOST_RESUMPTIONS = 2;
const LOOK_MS = 10_000;

/**
 * Resumes tasks that a server has accepted and whose process died, now and while the server runs: the sender may not have
 * a command line. Tasks of the command line are reported, or resumed by the sweep if the configuration says so. The
 * returned promise resolves after `stopping`.
 */
export async function keepResuming(server: ServerContext): Promise<void> {
  const givenUp = new Set<string>();
  while (!server.stopping.aborted) {
    await resumeTasks(server, givenUp).catch(error =>
      server.log.warn({ err: error }, 'cannot check for interrupted tasks'),
    );
    await sleep(LOOK_MS, undefined, { signal: server.stopping }).catch(() => undefined);
  }
}

async function resumeTasks(server: ServerContext, givenUp: Set<string>): Promise<void> {
  await recoverTasks(server.app);
  const interrupted = await server.app.store.tasks.list({ statuses: ['interrupted'] });
  const accepted = interrupted.filter(({ plan, id }) => plan.request !== undefined && !givenUp.has(id));
  for (const task of accepted) if (!(await resume(server, task))) givenUp.add(task.id);
}

/** False if it must not be tried again. */
async function resume(server: ServerContext, { id }: TaskRecord): Promise<boolean> {
  const { app, log } = server;
  const count = await countResumptions(server, id);
  if (count >= MOST_RESUMPTIONS) {
    log.warn({ task: id, count }, 'a task was interrupted again and will not be resumed');
    return false;
  }
  try {
    await retryTask(app, { id, taker: 'another-process' });
    await beginTask(server, id);
    log.info({ task: id }, 'resuming an interrupted task');
    return true;
  } catch (error) {
    // Another server or the user may have been faster.
    log.warn({ err: error, task: id }, 'cannot resume an interrupted task');
    return false;
  }
}

/** More events than any task has in this number of runs. */
const MOST_EVENTS = 10_000;

async function countResumptions({ app }: ServerContext, taskId: string): Promise<number> {
  const events = await app.store.events.list({ taskId, limit: MOST_EVENTS });
  return events.filter(({ type, data }) => type === 'task.retried' && data.from === 'interrupted').length;
}
