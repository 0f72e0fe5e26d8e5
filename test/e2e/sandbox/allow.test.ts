import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import type { NetworkReport } from '../../../src/domain/report/network-report.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { connectMcp } from '../../helpers/server/mcp-client.js';
import { startTestServer } from '../../helpers/server/test-server.js';
import { createTidyCarrel, DESK_FILES, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';
import { requireProgram } from '../../parts/required-part.js';

beforeEach(context => {
  requireBubblewrap(context);
  requireProgram(context, 'curl');
});

const CONFIG = 'sandbox: { runtime: bubblewrap, allow: [other.test] }\n';
const FULL = ['--isolation', 'full', '--strict'];

const makeFull = (config = CONFIG) => makeFixture({ up: FULL, config });

/** A server on an address of this machine that no command reaches without the proxy. */
async function serve(): Promise<string> {
  const server = createServer((_, answer) => void answer.end('hello\n'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.2', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.2:${(server.address() as AddressInfo).port}`;
}

test('a host is refused, shown with the command that allows it, allowed, and refused again', async () => {
  const host = await serve();
  const { carrel, repository } = makeFull();
  const get = () => carrel.start(repository, 'exec', 'a', '--', 'curl', '-sf', `http://${host}/`);
  expect(await get()).toMatchObject({ status: 22, stdout: '' });
  expect(carrel.ok(repository, 'show', 'a')).toContain(
    `${host}: not-allowed\n  allow what it needs with: carrel allow a ${host}`,
  );
  expect(carrel.ok(repository, 'allow', 'a')).toBe('other.test');
  expect(carrel.ok(repository, 'allow', 'a', host)).toBe(`other.test\n${host}`);
  expect(await get()).toMatchObject({ status: 0, stdout: 'hello\n' });
  const report = carrel.json<NetworkReport>(repository, 'allow', 'a', host, '--remove');
  expect(report).toMatchObject({ allow: ['other.test'], added: [], removed: [host], warnings: [] });
  expect(await get()).toMatchObject({ status: 22, stdout: '' });
  // It is the list of this workspace alone.
  expect(carrel.json<WorkspaceDetails>(repository, 'up', 'b', ...FULL).sandbox?.allow).toEqual([
    'other.test',
  ]);
});

test('a command that is running follows the list', async () => {
  const host = await serve();
  const { carrel, repository, path } = makeFull();
  const script = `until curl -sf http://${host}/; do touch tried; sleep 0.1; done; touch reached
    while curl -sf -o answer http://${host}/; do sleep 0.1; done; echo refused`;
  const running = carrel.start(repository, 'exec', 'a', '--', 'sh', '-c', script);
  const wait = (file: string) =>
    expect.poll(() => existsSync(join(path, file)), { timeout: 30_000 }).toBe(true);
  await wait('tried');
  carrel.ok(repository, 'allow', 'a', host);
  await wait('reached');
  carrel.ok(repository, 'allow', 'a', host, '--remove');
  expect(await running).toMatchObject({ status: 0, stdout: 'hello\nrefused\n' });
});

thoroughTest(
  'a command that began without any host stays without a network, and the user is warned',
  async () => {
    const host = await serve();
    const { carrel, repository, path } = makeFull('sandbox: { runtime: bubblewrap }\n');
    const script = 'touch begun; while [ ! -e end ]; do sleep 0.1; done';
    const running = carrel.start(repository, 'exec', 'a', '--', 'sh', '-c', script);
    await expect.poll(() => existsSync(join(path, 'begun')), { timeout: 30_000 }).toBe(true);
    const { warnings } = carrel.json<NetworkReport>(repository, 'allow', 'a', host);
    expect(warnings).toEqual(['commands that are running in a stay without a network; later ones have it']);
    writeFiles(path, { end: '' });
    expect(await running).toMatchObject({ status: 0 });
    const next = await carrel.start(repository, 'exec', 'a', '--', 'curl', '-sf', `http://${host}/`);
    expect(next).toMatchObject({ status: 0, stdout: 'hello\n' });
  },
);

thoroughTest('a restored workspace and one that was reset keep the list', () => {
  const { carrel, repository } = makeFull();
  carrel.ok(repository, 'allow', 'a', 'API.example.com', '*.example.org:8443', 'api.example.com');
  const allow = ['other.test', 'api.example.com', '*.example.org:8443'];
  carrel.ok(repository, 'down', 'a');
  carrel.ok(repository, 'restore', 'a');
  expect(carrel.json<NetworkReport>(repository, 'allow', 'a').allow).toEqual(allow);
  carrel.ok(repository, 'reset', 'a');
  expect(carrel.json<NetworkReport>(repository, 'allow', 'a').allow).toEqual(allow);
});

thoroughTest('refuses an invalid host, a host that is not listed, and a workspace without a list', () => {
  const { carrel, repository } = makeFull();
  for (const host of ['https://example.com', '*', 'example.com:0', 'a b'])
    expect(carrel.error(repository, 'allow', 'a', host)).toMatchObject({ status: 2, code: 'INVALID_INPUT' });
  const unknown = carrel.error(repository, 'allow', 'a', '--remove', 'example.com');
  expect(unknown.message).toBe('the host to remove is "example.com"; expected one of other.test');
  carrel.ok(repository, 'up', 'plain', '--isolation', 'worktree');
  const plain = carrel.error(repository, 'allow', 'plain', 'example.com');
  expect(plain).toMatchObject({ code: 'NO_ALLOW_LIST', details: { network: 'isolation worktree' } });
  writeFiles(carrel.home, {
    'config/carrel/config.yaml': 'sandbox: { runtime: bubblewrap, network: none }\n',
  });
  carrel.ok(repository, 'up', 'closed', ...FULL);
  const closed = carrel.error(repository, 'allow', 'closed', 'example.com');
  expect(closed).toMatchObject({ code: 'NO_ALLOW_LIST', details: { network: 'network none' } });
});

thoroughTest('works in a program of the user, but not over MCP or HTTP, nor from a repository', async () => {
  const [carrel, repository] = [createTidyCarrel(), makeRepository(DESK_FILES)];
  writeFiles(carrel.home, { 'config/carrel/config.yaml': CONFIG });
  await using mcp = await connectMcp(carrel, repository);
  expect((await mcp.client.listTools()).tools.map(({ name }) => name)).not.toContain('workspace_allow');
  const library = await openLibrary({ repository, environment: carrel.env });
  onTestFinished(() => library.close());
  await library.workspaces.create({ name: 'a', isolation: 'full', strict: true });
  const { allow } = await library.workspaces.allow('a', { hosts: ['example.com'] });
  expect(allow).toEqual(['other.test', 'example.com']);
  const { fetch } = await startTestServer({ repository });
  const { paths } = (await (await fetch('/openapi.json')).json()) as { paths: object };
  const routes = Object.keys(paths);
  expect(routes).toContain('/api/workspaces/{workspace}/reset');
  expect(routes.filter(route => route.includes('allow'))).toEqual([]);
  writeFiles(repository, { '.carrel/config.yaml': 'sandbox: { allow: [evil.test] }\n' });
  const made = carrel.run(repository, 'up', 'b', ...FULL, '--json');
  expect(made.stdout).not.toContain('evil.test');
});
