import { type RetryTaskRequest, readRetry } from '../../../task/recovery/retry.operation.js';
import { retryTask } from '../../../task/recovery/retry-task.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';
import { beginTask } from '../stories/accept-task.js';

/** A retried task runs in its own process. */
export const answerRetry =
  (server: ServerContext): Answer =>
  async ({ input }, c) => {
    const request = readRetry(input as RetryTaskRequest);
    const task = await retryTask(server.app, { ...request, taker: 'another-process' });
    await beginTask(server, task.id);
    return c.json(task, 202, { location: `/api/tasks/${task.id}` });
  };
