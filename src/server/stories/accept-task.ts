import { carrelError } from '../../domain/error.js';
import type { Task } from '../../domain/task.js';
import { cancelTask } from '../../task/cancel-task.js';
import { type CreateTaskInput, createTask } from '../../task/create-task.js';
import { openRepository } from '../repositories/open-repository.js';
import type { ServerContext } from '../server-context.js';
import { findAccepted, type IdempotentRequest, inTurn } from './idempotency.js';

export interface TaskWish
  extends Pick<
    CreateTaskInput,
    'description' | 'workflow' | 'agent' | 'isolation' | 'strict' | 'base' | 'keep' | 'priority' | 'land'
  > {
  readonly repository?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly costLimitUsd?: number | undefined;
}

export interface Sending {
  readonly idempotency: IdempotentRequest | null;
  /** The client's. */
  readonly signal: AbortSignal;
}

/**
 * Makes the task that a request asks for and has a process of its own begin with it, which outlives this server. The same
 * request again gives the same task.
 */
export function acceptTask(server: ServerContext, wish: TaskWish, sending: Sending): Promise<Task> {
  return inTurn(server, sending.idempotency, async () => {
    const accepted = await findAccepted(server, sending.idempotency);
    if (accepted) return accepted;
    const task = await create(server, wish, sending);
    await beginTask(server, task.id);
    server.log.info({ task: task.id, repository: task.repository }, 'a task was accepted');
    return task;
  });
}

async function create(server: ServerContext, wish: TaskWish, sending: Sending): Promise<Task> {
  const { repository, base, timeoutSeconds, costLimitUsd, ...wishes } = wish;
  const signal = AbortSignal.any([sending.signal, server.stopping]);
  const opened = await openRepository(server, { repository, base, signal });
  return createTask(server.app, {
    ...wishes,
    repository: opened.directory,
    base: opened.base,
    timeoutMs: timeoutSeconds && timeoutSeconds * 1000,
    limits: limitsOf(costLimitUsd),
    taker: 'another-process',
    request: {
      targetRepository: opened.targetRepository,
      idempotency: sending.idempotency && { key: sending.idempotency.key, body: sending.idempotency.body },
    },
  });
}

export const limitsOf = (costUsd: number | undefined) => (costUsd === undefined ? undefined : { costUsd });

/** What could not be started is cancelled, so that it does not wait for nobody. TASK_NOT_STARTED. */
export async function beginTask({ app }: ServerContext, id: string): Promise<void> {
  if (app.startBackground(['task', 'execute', id], { priority: 'normal' })) return;
  await cancelTask(app, { id });
  throw carrelError('TASK_NOT_STARTED', { id });
}
