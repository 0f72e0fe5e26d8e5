import { expect, test } from 'vitest';
import { createClient } from './create-client.js';

/** A client whose requests fail the test. */
const client = createClient({
  baseUrl: 'http://127.0.0.1:1',
  fetch: () => Promise.reject(new Error('a request was sent')),
});

test.each<[string, () => Promise<unknown>, string]>([
  [
    'an option of a call',
    () => client.pool.drain({ repositry: '/x' } as never),
    'pool.drain: unknown field "repositry"; did you mean "repository"?',
  ],
  [
    'a risk',
    () => client.workspaces.remove('ws_x', { discardChange: true } as never),
    'workspaces.remove: unknown field "discardChange"; did you mean "discardChanges"?',
  ],
  [
    'a key',
    () => client.tasks.create({ description: 'x' }, { idempotencykey: 'k' } as never),
    'tasks.create: unknown field "idempotencykey"; did you mean "idempotencyKey"?',
  ],
])('refuses %s that is mistyped, and sends nothing', async (_, call, detail) => {
  await expect(call()).rejects.toMatchObject({ code: 'REQUEST_INVALID', status: 400, message: detail });
});

test('refuses a stream with an unknown option at once', () => {
  expect(() => client.events({ task: 'task_x' } as never)).toThrow(
    'events: unknown field "task"; did you mean "taskId"?',
  );
});
