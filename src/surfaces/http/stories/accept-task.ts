import { carrelError } from '../../../domain/error/error.js';
import type { Task } from '../../../domain/task/task.js';
import { cancelTask } from '../../../task/cancel-task.js';
import { readTaskRequest, type TaskRequest } from '../../../task/create.operation.js';
import { createTask } from '../../../task/create-task.js';
import { openRepository } from '../repositories/open-repository.js';
import { requireChangeable } from '../repositories/require-changeable.js';
import type { ServerContext } from '../server-context.js';
import { findAccepted, type IdempotentRequest, inTurn } from './idempotency.js';

export interface Sending {
  readonly idempotency: IdempotentRequest | null;
  /** The signal of the client. */
  readonly signal: AbortSignal;
}

/**
 * Creates the requested task and starts it in its own process, which outlives this server. A repeated request returns the
 * same task.
 */
export function acceptTask(server: ServerContext, request: TaskRequest, sending: Sending): Promise<Task> {
  return inTurn(server, sending.idempotency, async () => {
    const accepted = await findAccepted(server, sending.idempotency);
    if (accepted) return accepted;
    const task = await create(server, request, sending);
    await beginTask(server, task.id);
    server.log.info({ task: task.id, repository: task.repository }, 'accepted a task');
    return task;
  });
}

async function create(server: ServerContext, request: TaskRequest, sending: Sending): Promise<Task> {
  const { repository, base, ...options } = request;
  const signal = AbortSignal.any([sending.signal, server.stopping]);
  const opened = await openRepository(server, { repository, base, signal });
  return createTask(server.app, {
    ...readTaskRequest(options),
    repository: opened.directory,
    base: opened.base,
    taker: 'another-process',
    check: found => requireChangeable(server, found),
    request: {
      targetRepository: opened.targetRepository,
      idempotency: sending.idempotency && { key: sending.idempotency.key, body: sending.idempotency.body },
    },
  });
}

/** Cancels a task that cannot be started, so that it does not stay queued forever. TASK_NOT_STARTED. */
export async function beginTask({ app }: ServerContext, id: string): Promise<void> {
  if (app.startBackground(['task', 'execute', id], { priority: 'normal' })) return;
  await cancelTask(app, { id });
  throw carrelError('TASK_NOT_STARTED', { id });
}
