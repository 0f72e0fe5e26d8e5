import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { carrelError } from '../../domain/error.js';
import type { Task } from '../../domain/task.js';
import { inRepositoryLock } from '../../operations/repository-lock.js';
import { describeTask } from '../../task/show-task.js';
import type { ServerContext } from '../server-context.js';

export const idempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('the same key and body again give what the first request made, and make nothing'),
});

/** A request that may come again, when its answer was lost. */
export interface IdempotentRequest {
  /** As it was sent. */
  readonly sent: string;
  /** Digest of it. */
  readonly key: string;
  /** Digest of what was sent with it. */
  readonly body: string;
}

/** Null when the client has given no key. */
export function readIdempotency(
  headers: z.infer<typeof idempotencyHeader>,
  body: unknown,
): IdempotentRequest | null {
  const sent = headers['idempotency-key'];
  return sent === undefined ? null : { sent, key: digest(sent), body: digest(JSON.stringify(body)) };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Runs `action` while no other request with this key is on its way, at this server or another on the same state. */
export function inTurn<T>(
  { app }: ServerContext,
  request: IdempotentRequest | null,
  action: () => Promise<T>,
): Promise<T> {
  if (request === null) return action();
  return inRepositoryLock(app, { repositoryId: `request:${request.key}`, repository: 'the request' }, action);
}

/** How far back a key is looked for: a client that repeats a request does so soon. */
const MOST_REMEMBERED = 1_000;

/** The task that the same request has made before. IDEMPOTENCY_KEY_REUSED when that was asked for otherwise. */
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
