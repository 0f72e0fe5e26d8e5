import type { CreateTaskRequest } from '../../../task/create.operation.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';
import { acceptTask } from '../stories/accept-task.js';
import { type idempotencyHeader, readIdempotency } from '../stories/idempotency.js';

/** The task runs in its own process, and a repeated request makes no second one. */
export const answerCreate =
  (server: ServerContext): Answer =>
  async ({ input }, c) => {
    const request = input as CreateTaskRequest & { readonly repository?: string };
    const headers = c.req.valid('header' as never) as ReturnType<typeof idempotencyHeader.parse>;
    // As it was sent: the digest of a repeated body has to be the same.
    const idempotency = readIdempotency(headers, c.req.valid('json' as never));
    const task = await acceptTask(server, request, { idempotency, signal: c.req.raw.signal });
    return c.json(task, 202, { location: `/api/tasks/${task.id}` });
  };
