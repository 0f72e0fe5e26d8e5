import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import { talk, waitForPort } from '../../helpers/network/open-test-ports.js';
import { ask, startServer } from '../../helpers/sandbox/port-server.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';
import { requireProgram } from '../../parts/required-part.js';

beforeEach(requireBubblewrap);

const NODE = realpathSync(process.execPath);

function makeFull(network: string): Fixture & { readonly ports: readonly number[] } {
  const fixture = makeFixture({
    up: ['--isolation', 'full', '--strict'],
    config: `sandbox:\n  runtime: bubblewrap\n  network: ${network}\n  allow: [good.test]\n  readable: [${dirname(NODE)}]\n`,
  });
  const [listed] = fixture.carrel.json<WorkspaceDetails[]>(fixture.repository, 'ls');
  return { ...fixture, ports: listed?.ports ?? [] };
}

test.for(flavours('allowlist', 'none', 'full'))(
  'a server on a port of the workspace answers on this machine while its command runs, with network %s',
  async (network, context) => {
    if (network === 'full') requireProgram(context, 'slirp4netns');
    const fixture = makeFull(network);
    const [port = 0, next = 0] = fixture.ports;
    expect(await ask(port)).toBe('ECONNREFUSED');
    const server = await startServer(fixture, NODE);
    await waitForPort(port);
    expect(await ask(port)).toBe('hello');
    expect(await ask(next)).toBe('ECONNREFUSED');
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toBe('');
    expect(await ask(port)).toBe('ECONNREFUSED');
  },
);

thoroughTest('a port above the ten of the workspace stays closed', async () => {
  const fixture = makeFull('none');
  const [port = 0] = fixture.ports;
  const outside = await startServer(fixture, NODE, { offset: 10 });
  const own = await startServer(fixture, NODE, { offset: 9 });
  await waitForPort(port + 9);
  expect(await ask(port + 10)).toBe('ECONNREFUSED');
  await Promise.all([outside.stop(), own.stop()]);
});

thoroughTest(
  'two commands at once forward their own servers, and the second server on one port is reported',
  async () => {
    const fixture = makeFull('none');
    const [port = 0, next = 0] = fixture.ports;
    const first = await startServer(fixture, NODE, { says: 'first' });
    const second = await startServer(fixture, NODE, { offset: 1, says: 'second' });
    await waitForPort(port);
    await waitForPort(next);
    expect([await ask(port), await ask(next)]).toEqual(['first', 'second']);
    const third = await startServer(fixture, NODE, { says: 'third' });
    expect(await first.stop()).toBe(0);
    await waitForPort(port);
    expect([await ask(port), await ask(next)]).toEqual(['third', 'second']);
    await Promise.all([second.stop(), third.stop()]);
    expect(first.stderr() + second.stderr()).toBe('');
  },
);

thoroughTest('a port that another program uses is one warning, and the command runs', async () => {
  const fixture = makeFull('none');
  const [port = 0] = fixture.ports;
  const stranger = createServer(socket => socket.end('stranger')).listen(port, '127.0.0.1');
  await once(stranger, 'listening');
  const server = await startServer(fixture, NODE);
  while (server.stderr() === '') await talk(port);
  expect(await talk(port)).toBe('stranger');
  stranger.close();
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).toBe(
    `warning: another program on this machine uses port ${port}, so the server on it in the sandbox can't be reached from outside\n`,
  );
});

thoroughTest('after kill -9 of carrel nothing listens and nothing is left', async () => {
  const fixture = makeFull('none');
  const [port = 0] = fixture.ports;
  const { child } = await startServer(fixture, NODE);
  await waitForPort(port);
  child.kill('SIGKILL');
  await once(child, 'close');
  await waitForPort(port, false);
  expect(fixture.ok('exec', 'a', '--', 'echo', 'again')).toBe('again');
});

thoroughTest('a workspace without a sandbox answers on its ports as before', async () => {
  const fixture = makeFixture();
  const { ports } = fixture.carrel.json<WorkspaceDetails>(fixture.repository, 'show', 'a');
  const server = await startServer(fixture, NODE);
  expect(await ask(ports[0] as number)).toBe('hello');
  await server.stop();
});

test('open --port opens the browser at a port of the workspace, the first by default, and at no other', () => {
  const { ports, carrel, repository } = makeFull('none');
  const [first = 0, second = 0] = ports;
  const open = (...args: string[]) =>
    carrel.runWith({ BROWSER: 'echo browser' }, repository, 'open', 'a', ...args);
  expect(open('--port', `${first}`)).toMatchObject({
    status: 0,
    stdout: `browser http://127.0.0.1:${first}\n`,
  });
  expect(open('--port', `${second}`).stdout).toBe(`browser http://127.0.0.1:${second}\n`);
  expect(open('--port', `${second}`, '--with', 'echo other').stdout).toBe(
    `other http://127.0.0.1:${second}\n`,
  );
  expect(open('--port', '22')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: `carrel: --port is 22; expected a port of a: ${first} to ${ports.at(-1)}\nhint: see \`carrel --help\` or \`carrel COMMAND --help\`\n`,
  });
});
