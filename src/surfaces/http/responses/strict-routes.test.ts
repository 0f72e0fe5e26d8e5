import { expect, test } from 'vitest';
import { makeRepository } from '../../../../test/helpers/repository.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

test('refuses an unknown field with a suggestion, and does nothing', async () => {
  const repository = makeRepository();
  const { client, fetch } = await startTestServer({ repository });
  const ask = async (method: string, path: string, body?: unknown): Promise<Problem> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: JSON_BODY };
    const answer = await fetch(path, { method, ...sent });
    return { ...((await answer.json()) as Problem), status: answer.status };
  };
  const expectRefused = async (detail: string, ...request: Parameters<typeof ask>) =>
    expect(await ask(...request)).toMatchObject({ status: 400, code: 'REQUEST_INVALID', detail });

  await expectRefused('body: unknown field "isolatoin"; did you mean "isolation"?', 'POST', '/api/tasks', {
    description: 'x',
    isolatoin: 'full',
  });
  await expectRefused('body.land: unknown field "branch"; expected one of into', 'POST', '/api/tasks', {
    description: 'x',
    land: { into: null, branch: 'main' },
  });
  await expectRefused(
    'body: unknown field "Isolation"; did you mean "isolation"?',
    'POST',
    '/api/workspaces',
    {
      Isolation: 'full',
    },
  );
  const { detail } = await ask('POST', '/api/developer/workflows', { story: 'x', targetRepo: repository });
  expect(detail).toContain('unknown field "targetRepo"');
  await expectRefused(
    'query: unknown field "repositry"; did you mean "repository"?',
    'GET',
    '/api/workspaces?repositry=/x',
  );
  await expectRefused(
    'query: unknown field "force"; expected none',
    'POST',
    '/api/tasks/task_x/cancel?force',
  );
  await expectRefused('body: unknown field "force"; expected none', 'POST', '/api/tasks/task_x/cancel', {
    force: true,
  });
  expect(await client.tasks.list()).toEqual([]);
  expect(await client.workspaces.list()).toEqual([]);
});

const JSON_BODY = { 'content-type': 'application/json' };

test('the API document says that bodies have no other fields', async () => {
  const { fetch } = await startTestServer({ repository: makeRepository() });
  const { components } = (await (await fetch('/openapi.json')).json()) as {
    components: { schemas: Record<string, { additionalProperties?: unknown }> };
  };
  const requests = Object.entries(components.schemas).filter(([name]) => name.endsWith('-request'));
  expect(requests.length).toBeGreaterThan(5);
  expect(
    requests.filter(([, schema]) => schema.additionalProperties !== false).map(([name]) => name),
  ).toEqual([]);
});
