import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { carrelError } from '../../../domain/error/error.js';
import type { Task } from '../../../domain/task/task.js';
import { inRepositoryLock } from '../../../operations/repository/hold-repository-lock.js';
import { describeTask } from '../../../task/record/show-task.js';
import type { ServerContext } from '../server-context.js';

export const idempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('a repeated request with the same key and body returns the first result and creates nothing'),
});

/** A request that may be repeated after its answer was lost. */
export interface IdempotentRequest {
  /** As it was sent. */
  readonly sent: string;
  /** Digest of the key. */
  readonly key: string;
  /** Digest of the body. */
  readonly body: string;
}

/** Null if the client sent no key. */
export function readIdempotency(
  headers: z.infer<typeof idempotencyHeader>,
  body: unknown,
): IdempotentRequest | null {
  const sent = headers['idempotency-key'];
  return sent === undefined ? null : { sent, key: digest(sent), body: digest(JSON.stringify(body)) };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Runs `action` while no other request with this key is running, on this server or another one with the same state. */
export function inTurn<T>(
  { app }: ServerContext,
  request: IdempotentRequest | null,
  action: () => Promise<T>,
): Promise<T> {
  if (request === null) return action();
  return inRepositoryLock(app, { repositoryId: `request:${request.key}`, repository: 'the request' }, action);
}

/** How far back to search for a key: a client repeats a request soon. */
const MOST_REMEMBERED = 1_000;

/** The task that the same request has created before. IDEMPOTENCY_KEY_REUSED if that request was different. */
export async function findAccepted(
  { app }: ServerContext,
  request: IdempotentRequest | null,
): Promise<Task | undefined> {
  if (request === null) return undefined;
  const tasks = await app.store.tasks.list({ newest: MOST_REMEMBERED });
  const found = tasks.find(({ plan }) => plan.request?.idempotency?.key === request.key);
  if (!found) return undefined;
  if (found.plan.request?.idempotency?.body === request.body) return describeTask(app, found);
  throw carrelError('IDEMPOTENCY_KEY_REUSED', { key: request.sent, id: found.id });
}
