import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { FAR_ADDRESS, serveTcp, wire } from '../../../../test/helpers/network/closed-network.js';
import {
  CONNECT_GOOD,
  ESTABLISHED,
  echo,
  listening,
  makeProxy,
  openClient,
  reasonsOf,
} from '../../../../test/helpers/network/test-proxy.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { waitFor } from '../../../../test/helpers/wait-for.js';
import { startProxy } from './proxy.js';

test.each([
  ['a host that is not listed', 'bad.test:9000', 'bad.test:9000 is not in sandbox.allow'],
  ['a port that is not listed', 'good.test:22', 'good.test:22 is not in sandbox.allow'],
  ['an address', `${FAR_ADDRESS}:9000`, `${FAR_ADDRESS}:9000 is not in sandbox.allow`],
  ['an odd address', '0x7f.1:9000', '127.0.0.1:9000 is not in sandbox.allow'],
  ['an IPv6 address', '[::1]:9000', '[::1]:9000 is not in sandbox.allow'],
  ['a user name', 'good.test@bad.test:9000', 'good.test@bad.test:9000 is not a host with a port'],
  [
    'a user name before a port',
    'good.test:9000@bad.test:9000',
    'good.test:9000@bad.test:9000 is not a host with a port',
  ],
  ['a url', 'http://good.test:9000/', 'http://good.test:9000/ is not a host with a port'],
  ['no port', 'good.test', 'good.test is not a host with a port'],
])('CONNECT to %s is refused with the reason', async (_what, target, reason) => {
  const server = await listening();
  const proxy = await makeProxy({ connect: () => wire({ 'x:1': server.port })({ host: 'x', port: 1 }, []) });
  const answer = await openClient(proxy, `CONNECT ${target} HTTP/1.1\r\nHost: good.test:9000\r\n\r\n`, 'data')
    .closed;
  expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe(`\r\n\r\ncarrel: ${reason}\n`);
  expect(reasonsOf(proxy)).toEqual([reason]);
  expect(server.sockets).toEqual([]);
});

test('a listed name that resolves to an internal address is refused, and no connection is made', async () => {
  let connections = 0;
  const proxy = await makeProxy({
    allow: ['good.test:9000', 'localhost:9000'],
    resolve: async () => ['169.254.169.254'],
    connect: (...call) => {
      connections += 1;
      return wire({})(...call);
    },
  });
  expect(await openClient(proxy, CONNECT_GOOD).closed).toContain('403');
  expect(connections).toBe(0);
  expect(proxy.refusals).toEqual([{ at: 1_000, host: 'good.test', port: 9000, reason: 'internal-address' }]);
});

test('connects to the checked addresses, even if the name resolves differently later', async () => {
  const answers = [[FAR_ADDRESS], ['127.0.0.1']];
  const used: (readonly string[])[] = [];
  const port = await echo();
  const proxy = await makeProxy({
    resolve: async () => answers.shift() ?? [],
    connect: (target, addresses) => {
      used.push(addresses);
      return wire({ 'good.test:9000': port })(target, addresses);
    },
  });
  await openClient(proxy, CONNECT_GOOD).has(ESTABLISHED);
  expect(await openClient(proxy, CONNECT_GOOD).closed).toContain('403');
  expect(used).toEqual([[FAR_ADDRESS]]);
});

test('a changed list applies to the next connection, and an unreadable one blocks everything', async () => {
  const port = await echo();
  let allow: readonly string[] | undefined = ['other.test'];
  const allowNow = async () => {
    if (!allow) throw new Error('the list is not readable');
    return allow;
  };
  const proxy = await makeProxy({ servers: { 'good.test:9000': port }, allow, allowNow });
  expect(await openClient(proxy, CONNECT_GOOD).closed).toContain('403');
  allow = ['good.test:9000'];
  await openClient(proxy, CONNECT_GOOD).has(ESTABLISHED);
  allow = [];
  expect(await openClient(proxy, CONNECT_GOOD).closed).toContain('403');
  allow = undefined;
  expect(await openClient(proxy, CONNECT_GOOD).closed).toBe('');
});

test('localhost is reached when the list names it, without any injected connection', async () => {
  const port = await echo();
  const path = join(tempDir(), 'proxy.sock');
  const options = {
    socketPath: path,
    allow: [`localhost:${port}`],
    now: Date.now,
    onRefused: () => undefined,
  };
  const proxy = await startProxy(options);
  onTestFinished(proxy.close);
  const client = openClient(
    { path, refusals: [], close: proxy.close },
    `CONNECT localhost:${port} HTTP/1.1\r\nHost: x\r\n\r\nhi`,
  );
  await client.has(`${ESTABLISHED}hi`);
});

test.each([
  ['an unknown name', { resolve: () => Promise.reject(new Error('ENOTFOUND')) }],
  [
    'a lookup that never ends',
    { resolve: () => new Promise<string[]>(() => undefined), limits: { connectMs: 50 } },
  ],
  ['a port without a listener', {}],
])('%s gives 502 and is not a refusal', async (_what, options) => {
  const proxy = await makeProxy(options);
  const answer = await openClient(proxy, CONNECT_GOOD).closed;
  expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n.*carrel: good\.test:9000 is not reachable\n$/s);
  expect(proxy.refusals).toEqual([]);
});

test('clients that send nothing, too little or too much are disconnected', async () => {
  const proxy = await makeProxy({ limits: { headerMs: 100, headerBytes: 1024 } });
  expect(await openClient(proxy).closed).toMatch(/^HTTP\/1\.1 408 |^$/);
  expect(await openClient(proxy, 'CONNECT good.te').closed).toMatch(/^HTTP\/1\.1 408 /);
  const large = await openClient(proxy, `GET http://good.test/ HTTP/1.1\r\nX: ${'x'.repeat(2000)}`).closed;
  expect(large).toMatch(/^HTTP\/1\.1 431 /);
});

thoroughTest('an idle tunnel is closed on both sides, and an active one is not', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:9000': server.port }, limits: { idleMs: 1_000 } });
  const client = openClient(proxy, CONNECT_GOOD);
  await client.has(ESTABLISHED);
  const longer = Date.now() + 1_500;
  for (let count = 1; Date.now() < longer; count += 1) {
    client.socket.write('x');
    await waitFor('the byte', () => (server.text().length === count ? true : undefined));
  }
  expect(client.socket.destroyed).toBe(false);
  await Promise.all([
    client.closed,
    waitFor('its end', () => (server.sockets[0]?.readableEnded ? true : undefined)),
  ]);
});

test('more connections than allowed are dropped and reported', async () => {
  const proxy = await makeProxy({ servers: { 'good.test:9000': await echo() }, limits: { connections: 2 } });
  const first = openClient(proxy, CONNECT_GOOD);
  const second = openClient(proxy, CONNECT_GOOD);
  await Promise.all([first.has(ESTABLISHED), second.has(ESTABLISHED)]);
  expect(await openClient(proxy, CONNECT_GOOD).closed).toBe('');
  expect(proxy.refusals).toMatchObject([{ reason: 'too-many-connections' }]);
});

test('a host that sends faster than the client reads is paused, and all data arrives', async () => {
  const total = 64 * 1024 * 1024;
  const piece = Buffer.alloc(1024 * 1024, 'x');
  let sent = 0;
  const port = await serveTcp(socket => {
    const send = (): void => {
      while (sent < total) {
        sent += piece.length;
        if (!socket.write(piece)) return void socket.once('drain', send);
      }
      socket.end();
    };
    send();
  });
  const proxy = await makeProxy({ servers: { 'good.test:9000': port } });
  const socket = connect(proxy.path);
  socket.write(CONNECT_GOOD);
  socket.pause();
  let last = -1;
  await waitFor('the host to be held back', () => {
    const isStill = sent > 0 && sent === last;
    last = sent;
    return isStill ? true : undefined;
  });
  expect(sent).toBeLessThan(total / 2);
  let received = -ESTABLISHED.length;
  socket.on('data', chunk => (received += chunk.length));
  socket.resume();
  await once(socket, 'close');
  expect(received).toBe(total);
});

test('closing ends every connection on both sides and removes the socket', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:9000': server.port } });
  const tunnel = openClient(proxy, CONNECT_GOOD);
  await tunnel.has(ESTABLISHED);
  const silent = openClient(proxy);
  await once(silent.socket, 'connect');
  await proxy.close();
  await Promise.all([tunnel.closed, silent.closed]);
  await waitFor('the end at the host', () => (server.sockets[0]?.readableEnded ? true : undefined));
  expect(existsSync(proxy.path)).toBe(false);
  await proxy.close();
});
