import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/helpers/repository.js';
import { openSocket, readToEnd } from '../../../test/helpers/server/send-request.js';
import { startTestServer } from '../../../test/helpers/server/test-server.js';

test('a server makes a token that only its owner can read, and requires it', async () => {
  const { server, token, client, fetch, carrel } = await startTestServer();
  expect(server.newToken).toBe(token);
  expect(server.tokenFile).toBe(`${carrel.stateDir}/server/token`);
  expect(statSync(server.tokenFile).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(server.tokenFile)).mode & 0o777).toBe(0o700);
  expect(await client.health()).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  const metrics = await (await fetch('/metrics')).text();
  for (const line of [
    'carrel_http_requests_total{method="GET",route="/healthz",status="200"} 1',
    'carrel_http_request_seconds_bucket{le="+Inf",route="/healthz"} 1',
    'carrel_streams 0',
    'carrel_tasks{status="running"} 0',
    'carrel_workspaces 0',
  ])
    expect(metrics.split('\n')).toContain(line);
  for (const line of metrics.split('\n').filter(Boolean))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.+\})? [\d.e+-]+)$/);
});

test('a second server on the same state has the same token', async () => {
  const first = await startTestServer();
  const second = await startTestServer({ carrel: first.carrel });
  expect(second.server.port).not.toBe(first.server.port);
  expect(second.server.newToken).toBeNull();
  const headers = { authorization: `Bearer ${first.token}` };
  expect((await fetch(`${second.url}/metrics`, { headers })).status).toBe(200);
});

test('a server that other machines can reach warns about it', async () => {
  const warnings = (log: readonly string[]) =>
    log.map(line => JSON.parse(line)).filter(({ level }) => level === 'warn');
  const open = await startTestServer({ settings: { host: '0.0.0.0' } });
  expect(open.url).toBe(`http://127.0.0.1:${open.server.port}`);
  expect(warnings(open.log)).toHaveLength(1);
  expect(warnings((await startTestServer()).log)).toEqual([]);
});

test('a stopping server closes its streams and connections', async () => {
  const { server, fetch, client, url, stop } = await startTestServer();
  const stream = await fetch('/api/events');
  const silent = await openSocket(url);
  const ended = readToEnd(silent);
  const rest = stream.text();
  await Promise.all([stop(), server.stop()]);
  expect(await ended).toBe('');
  expect(await rest).not.toContain('event: end');
  await expect(client.health()).rejects.toMatchObject({ name: 'UnreachableError' });
});

test('a request that runs when the server stops is completed and answered', async () => {
  const repository = makeRepository();
  let stopped: Promise<void> | undefined;
  const site = await startTestServer({
    repository,
    onStep: () => {
      stopped ??= site.stop();
    },
  });
  const made = await site.client.workspaces.create({ name: 'late' });
  expect(stopped).toBeDefined();
  await stopped;
  expect(existsSync(made.path)).toBe(true);
  const next = await startTestServer({ repository, carrel: site.carrel });
  expect((await next.client.workspaces.list()).map(({ name }) => name)).toEqual(['late']);
  await next.client.workspaces.remove(made.id);
});
