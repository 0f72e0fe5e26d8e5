import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeHello } from '../../../test/helpers/client-hello.js';
import { FAR_ADDRESS, serveHttp, serveTcp, wire } from '../../../test/helpers/closed-network.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import { type ProxyOptions, startProxy } from './proxy.js';
import { formatRefusal, type Refusal } from './refusal.js';

interface TestProxy {
  readonly path: string;
  readonly refusals: Refusal[];
  readonly close: () => Promise<void>;
}

interface TestProxyOptions extends Partial<Pick<ProxyOptions, 'allow' | 'limits' | 'resolve' | 'connect'>> {
  readonly servers?: Readonly<Record<string, number>>;
}

async function makeProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const path = join(tempDir(), 'proxy.sock');
  const refusals: Refusal[] = [];
  const { close } = await startProxy({
    socketPath: path,
    allow: options.allow ?? ['good.test', 'good.test:9000'],
    now: () => 1_000,
    onRefused: refusal => refusals.push(refusal),
    limits: options.limits,
    resolve: options.resolve ?? (async () => [FAR_ADDRESS]),
    connect: options.connect ?? wire(options.servers ?? {}),
  });
  onTestFinished(close);
  return { path, refusals, close };
}

/** A client that has sent something, and collects what comes back. */
function open(proxy: TestProxy, ...pieces: (string | Buffer)[]) {
  const socket = connect(proxy.path);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const received: Buffer[] = [];
  socket.on('data', chunk => received.push(chunk));
  for (const piece of pieces) socket.write(piece);
  const text = () => Buffer.concat(received).toString('latin1');
  return {
    socket,
    text,
    closed: new Promise<string>(resolve => socket.once('close', () => resolve(text()))),
    has: (part: string) =>
      waitFor(`"${part}" in "${text()}"`, () => (text().includes(part) ? text() : undefined)),
  };
}

const CONNECT_GOOD = 'CONNECT good.test:9000 HTTP/1.1\r\nHost: good.test:9000\r\n\r\n';
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

const echo = () => serveTcp(socket => void socket.pipe(socket));
const reasonsOf = (proxy: TestProxy) => proxy.refusals.map(formatRefusal);

/** A server that keeps all that it was sent. */
async function listening() {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const port = await serveTcp(socket => {
    sockets.push(socket);
    socket.on('data', chunk => received.push(chunk.toString('latin1')));
  });
  return { port, sockets, text: () => received.join('') };
}

test('CONNECT joins the client to the host in both directions, and an end goes through without ending the answer', async () => {
  const port = await serveTcp(socket => {
    socket.on('data', chunk => socket.write(`got ${chunk}`));
    socket.on('end', () => socket.end(' bye'));
  });
  const proxy = await makeProxy({ servers: { 'good.test:9000': port } });
  const client = open(proxy, CONNECT_GOOD);
  await client.has(ESTABLISHED);
  client.socket.write('hello');
  await client.has('got hello');
  client.socket.end();
  expect(await client.closed).toBe(`${ESTABLISHED}got hello bye`);
  expect(proxy.refusals).toEqual([]);
});

test('what is sent along with CONNECT goes through as well', async () => {
  const proxy = await makeProxy({ servers: { 'good.test:9000': await echo() } });
  const client = open(proxy, `${CONNECT_GOOD}early`);
  await client.has('early');
  expect(client.text()).toBe(`${ESTABLISHED}early`);
});

test.each([
  ['a host that is not listed', 'bad.test:9000', 'bad.test:9000 is not among the hosts of sandbox.allow'],
  ['a port that is not listed', 'good.test:22', 'good.test:22 is not among the hosts of sandbox.allow'],
  ['an address', `${FAR_ADDRESS}:9000`, `${FAR_ADDRESS}:9000 is not among the hosts of sandbox.allow`],
  ['an odd address', '0x7f.1:9000', '127.0.0.1:9000 is not among the hosts of sandbox.allow'],
  ['an IPv6 address', '[::1]:9000', '[::1]:9000 is not among the hosts of sandbox.allow'],
  ['a user name', 'good.test@bad.test:9000', 'good.test@bad.test:9000 is no host with a port'],
  [
    'a user name before a port',
    'good.test:9000@bad.test:9000',
    'good.test:9000@bad.test:9000 is no host with a port',
  ],
  ['a url', 'http://good.test:9000/', 'http://good.test:9000/ is no host with a port'],
  ['no port', 'good.test', 'good.test is no host with a port'],
])('CONNECT to %s is refused with the reason', async (_what, target, reason) => {
  const server = await listening();
  const proxy = await makeProxy({ connect: () => wire({ 'x:1': server.port })({ host: 'x', port: 1 }, []) });
  const answer = await open(proxy, `CONNECT ${target} HTTP/1.1\r\nHost: good.test:9000\r\n\r\n`, 'data')
    .closed;
  expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe(`\r\n\r\ncarrel: ${reason}\n`);
  expect(reasonsOf(proxy)).toEqual([reason]);
  expect(server.sockets).toEqual([]);
});

test('a listed name that resolves to an internal address is refused, and nothing is connected to', async () => {
  let connections = 0;
  const proxy = await makeProxy({
    allow: ['good.test:9000', 'localhost:9000'],
    resolve: async () => ['169.254.169.254'],
    connect: (...call) => {
      connections += 1;
      return wire({})(...call);
    },
  });
  expect(await open(proxy, CONNECT_GOOD).closed).toContain('403');
  expect(connections).toBe(0);
  expect(proxy.refusals).toEqual([{ at: 1_000, host: 'good.test', port: 9000, reason: 'internal-address' }]);
});

test('the addresses that were checked are those that are connected to, however the name resolves later', async () => {
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
  await open(proxy, CONNECT_GOOD).has(ESTABLISHED);
  expect(await open(proxy, CONNECT_GOOD).closed).toContain('403');
  expect(used).toEqual([[FAR_ADDRESS]]);
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
  const client = open(
    { path, refusals: [], close: proxy.close },
    `CONNECT localhost:${port} HTTP/1.1\r\nHost: x\r\n\r\nhi`,
  );
  await client.has(`${ESTABLISHED}hi`);
});

test.each([
  ['a name that is not known', { resolve: () => Promise.reject(new Error('ENOTFOUND')) }],
  [
    'a lookup that never ends',
    { resolve: () => new Promise<string[]>(() => undefined), limits: { connectMs: 50 } },
  ],
  ['a port where nobody listens', {}],
])('%s is 502, and no refusal', async (_what, options) => {
  const proxy = await makeProxy(options);
  const answer = await open(proxy, CONNECT_GOOD).closed;
  expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n.*carrel: good\.test:9000 can't be reached\n$/s);
  expect(proxy.refusals).toEqual([]);
});

test('TLS inside the tunnel must ask for the host that CONNECT named', async () => {
  const server = await listening();
  const servers = { 'good.test:443': server.port, 'good.test:9000': server.port };
  const proxy = await makeProxy({ servers });
  const start = (port: number, ...hello: Buffer[]) =>
    open(proxy, `CONNECT good.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, ...hello);

  const right = makeHello('GOOD.test');
  start(443, right);
  await waitFor('the hello', () => (server.text().length === right.length ? true : undefined));

  const alert = Buffer.from([21, 3, 3, 0, 2, 2, 112]).toString('latin1');
  for (const port of [443, 9000]) {
    expect(await start(port, makeHello('bad.test')).closed).toBe(`${ESTABLISHED}${alert}`);
    expect(await start(port, makeHello(undefined)).closed).toBe(`${ESTABLISHED}${alert}`);
  }
  expect(server.text().length).toBe(right.length);
  expect(proxy.refusals.map(({ port, reason }) => `${port} ${reason}`)).toEqual([
    ...['443 server-name', '443 server-name', '9000 server-name', '9000 server-name'],
  ]);
});

test('on port 443 nothing but TLS goes through, on another port anything', async () => {
  const port = await echo();
  const proxy = await makeProxy({ servers: { 'good.test:443': port, 'good.test:9000': port } });
  await open(proxy, CONNECT_GOOD, 'SSH-2.0-x').has('SSH-2.0-x');
  const client = open(
    proxy,
    'CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n',
  );
  expect(await client.closed).not.toContain('GET');
  expect(proxy.refusals).toMatchObject([{ port: 443, reason: 'server-name' }]);
});

test('a hello that comes byte by byte is held back until it is known, and then goes through whole', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:443': server.port } });
  const client = open(proxy, 'CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  await client.has(ESTABLISHED);
  const hello = makeHello('good.test');
  for (const byte of hello.subarray(0, -1)) client.socket.write(Buffer.from([byte]));
  await waitFor('all of it to be written', () => (client.socket.writableLength === 0 ? true : undefined));
  expect(server.text()).toBe('');
  client.socket.write(hello.subarray(-1));
  await waitFor('the hello', () => (server.text() === hello.toString('latin1') ? true : undefined));
});

test('a request for a url is sent on with the Host that was checked, without headers that are about the proxy', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:9000': server.port } });
  const request = [
    'POST http://Good.test:9000/a/../b?c=http://bad.test/ HTTP/1.1',
    ...[
      'Host: bad.test',
      'X-Kept: 1',
      'X-Kept: 2',
      'Connection: close, X-Dropped, Content-Length',
      'X-Dropped: 1',
    ],
    ...[
      'Proxy-Authorization: Basic eA==',
      'Proxy-Connection: keep-alive',
      'TE: trailers',
      'Upgrade: websocket',
    ],
    ...['Content-Length: 4', '', 'body'],
  ];
  open(proxy, request.join('\r\n'));
  await waitFor('the body', () => (server.text().endsWith('body') ? true : undefined));
  expect(server.text().split('\r\n')).toEqual([
    'POST /a/../b?c=http://bad.test/ HTTP/1.1',
    ...[
      'Host: good.test:9000',
      'Connection: close',
      'X-Kept: 1',
      'X-Kept: 2',
      'Content-Length: 4',
      '',
      'body',
    ],
  ]);
});

test('every request on one connection is checked by itself', async () => {
  const port = await serveHttp((_message, answer) => answer.end('from good'));
  const proxy = await makeProxy({ servers: { 'good.test:80': port } });
  const client = open(
    proxy,
    'GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\nGET http://bad.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n',
  );
  const answers = await client.closed;
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
  expect(reasonsOf(proxy)).toEqual(['bad.test:80 is not among the hosts of sandbox.allow']);
});

test.each([
  [
    'a length and chunks at once',
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    '0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
  ],
  ['two lengths', ['Content-Length: 0', 'Content-Length: 5'], 'GET /'],
  ['a coding that hides chunks', ['Transfer-Encoding: xchunked'], 'x'],
  ['two codings', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
  ['a header that is folded', ['X-A: 1', ' Transfer-Encoding: chunked'], ''],
  ['a space before a colon', ['Content-Length : 5'], 'GET /'],
  ['a bare line feed', ['X-A: 1\nTransfer-Encoding: chunked'], ''],
  ['a NUL', ['X-A: 1\0'], ''],
])('a request with %s is not sent on', async (_what, headers, body) => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:80': server.port } });
  const lines = ['POST http://good.test/ HTTP/1.1', 'Host: good.test', ...headers];
  const answer = await open(proxy, `${lines.join('\r\n')}\r\n\r\n${body}`).closed;
  expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
  expect(server.text()).toBe('');
});

test('a body in chunks stays in chunks, also for a method that has none by rights', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:80': server.port } });
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: bad.test\r\n\r\n';
  const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
  open(proxy, `DELETE http://good.test/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
  await waitFor('the last chunk', () => (server.text().endsWith('0\r\n\r\n') ? true : undefined));
  expect(server.text()).toContain('Transfer-Encoding: chunked');
  expect(server.text()).toContain(`\r\n\r\n${chunk}`);
});

test.each([
  ['a path alone', 'GET /etc/passwd HTTP/1.1'],
  ['https', 'GET https://good.test/ HTTP/1.1'],
  ['a user name', 'GET http://good.test:80@bad.test/ HTTP/1.1'],
  ['a backslash', 'GET http://good.test\\@bad.test/ HTTP/1.1'],
  ['a fragment', 'GET http://good.test/#x HTTP/1.1'],
])('a request for %s is refused', async (_what, line) => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:80': server.port } });
  expect(await open(proxy, `${line}\r\nHost: good.test\r\n\r\n`).closed).toMatch(/^HTTP\/1\.1 40[03] /);
  expect(server.sockets).toEqual([]);
});

test('a host that breaks off before its answer is 502, and one that breaks off within breaks the answer off', async () => {
  const silent = await serveTcp(socket => void socket.once('data', () => socket.destroy()));
  const proxy = await makeProxy({ servers: { 'good.test:80': silent } });
  const get = 'GET http://good.test/ HTTP/1.1\r\nHost: x\r\n\r\n';
  expect(await open(proxy, get).closed).toMatch(/^HTTP\/1\.1 502 /);

  const broken = await serveTcp(
    socket => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')),
  );
  const second = await makeProxy({ servers: { 'good.test:80': broken } });
  expect(await open(second, get).closed).toMatch(/^HTTP\/1\.1 200 OK.*half$/s);
});

test('clients that say nothing, too little, or too much are ended', async () => {
  const proxy = await makeProxy({ limits: { headerMs: 100, headerBytes: 1024 } });
  expect(await open(proxy).closed).toMatch(/^HTTP\/1\.1 408 |^$/);
  expect(await open(proxy, 'CONNECT good.te').closed).toMatch(/^HTTP\/1\.1 408 /);
  const large = await open(proxy, `GET http://good.test/ HTTP/1.1\r\nX: ${'x'.repeat(2000)}`).closed;
  expect(large).toMatch(/^HTTP\/1\.1 431 /);
});

test('a tunnel in which nothing moves is ended on both sides, and one in which something moves is not', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:9000': server.port }, limits: { idleMs: 1_000 } });
  const client = open(proxy, CONNECT_GOOD);
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

test('more connections than allowed are dropped and told of', async () => {
  const proxy = await makeProxy({ servers: { 'good.test:9000': await echo() }, limits: { connections: 2 } });
  const first = open(proxy, CONNECT_GOOD);
  const second = open(proxy, CONNECT_GOOD);
  await Promise.all([first.has(ESTABLISHED), second.has(ESTABLISHED)]);
  expect(await open(proxy, CONNECT_GOOD).closed).toBe('');
  expect(proxy.refusals).toMatchObject([{ reason: 'too-many-connections' }]);
});

test('a host that sends more than the client takes is held back, and everything comes through', async () => {
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

test('closing ends every connection on both sides and takes the socket away', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:9000': server.port } });
  const tunnel = open(proxy, CONNECT_GOOD);
  await tunnel.has(ESTABLISHED);
  const silent = open(proxy);
  await once(silent.socket, 'connect');
  await proxy.close();
  await Promise.all([tunnel.closed, silent.closed]);
  await waitFor('the end at the host', () => (server.sockets[0]?.readableEnded ? true : undefined));
  expect(existsSync(proxy.path)).toBe(false);
  await proxy.close();
});
