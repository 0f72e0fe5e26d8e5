import { expect, test } from 'vitest';
import { serveHttp, serveTcp } from '../../../../test/helpers/network/closed-network.js';
import { listening, makeProxy, openClient, reasonsOf } from '../../../../test/helpers/network/test-proxy.js';
import { waitFor } from '../../../../test/helpers/wait-for.js';

test('a request for a url is forwarded with the checked Host and without proxy headers', async () => {
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
  openClient(proxy, request.join('\r\n'));
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

test('every request on one connection is checked separately', async () => {
  const port = await serveHttp((_message, answer) => answer.end('from good'));
  const proxy = await makeProxy({ servers: { 'good.test:80': port } });
  const client = openClient(
    proxy,
    'GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\nGET http://bad.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n',
  );
  const answers = await client.closed;
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
  expect(reasonsOf(proxy)).toEqual(['bad.test:80 is not in sandbox.allow']);
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
])('a request with %s is not forwarded', async (_what, headers, body) => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:80': server.port } });
  const lines = ['POST http://good.test/ HTTP/1.1', 'Host: good.test', ...headers];
  const answer = await openClient(proxy, `${lines.join('\r\n')}\r\n\r\n${body}`).closed;
  expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
  expect(server.text()).toBe('');
});

test('a body in chunks stays in chunks, also for a method that normally has none', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:80': server.port } });
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: bad.test\r\n\r\n';
  const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
  openClient(
    proxy,
    `DELETE http://good.test/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
  );
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
  expect(await openClient(proxy, `${line}\r\nHost: good.test\r\n\r\n`).closed).toMatch(/^HTTP\/1\.1 40[03] /);
  expect(server.sockets).toEqual([]);
});

test('a host that disconnects before its response gives 502, and one that disconnects during it aborts the response', async () => {
  const silent = await serveTcp(socket => void socket.once('data', () => socket.destroy()));
  const proxy = await makeProxy({ servers: { 'good.test:80': silent } });
  const get = 'GET http://good.test/ HTTP/1.1\r\nHost: x\r\n\r\n';
  expect(await openClient(proxy, get).closed).toMatch(/^HTTP\/1\.1 502 /);

  const broken = await serveTcp(
    socket => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')),
  );
  const second = await makeProxy({ servers: { 'good.test:80': broken } });
  expect(await openClient(second, get).closed).toMatch(/^HTTP\/1\.1 200 OK.*half$/s);
});

test.each([
  ['an invalid status', 'HTTP/1.1 000 X\r\n\r\n'],
  [
    'a status of another protocol',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  ],
  ['a control character in a header', 'HTTP/1.1 200 OK\r\nX: \x01\r\n\r\n'],
  ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
  [
    'a length and chunks at once',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['something else than HTTP', '220 smtp.test ESMTP\r\n'],
])('a host that answers with %s is harmless', async (_what, reply) => {
  const strange = await serveTcp(socket => void socket.once('data', () => socket.end(reply, 'latin1')));
  const plain = await serveHttp((_message, answer) => answer.end('plain'));
  const servers = { 'good.test:80': strange, 'good.test:9000': plain };
  const proxy = await makeProxy({ servers });
  expect(await openClient(proxy, 'GET http://good.test/ HTTP/1.1\r\nHost: x\r\n\r\n').closed).toMatch(
    /^HTTP\/1\.1 502 /,
  );
  await openClient(proxy, 'GET http://good.test:9000/ HTTP/1.1\r\nHost: x\r\n\r\n').has('plain');
});

test("the host's reason phrase is not passed on", async () => {
  const port = await serveTcp(
    socket => void socket.once('data', () => socket.end('HTTP/1.1 200 \x01\x1b[2J\r\n\r\nbody')),
  );
  const proxy = await makeProxy({ servers: { 'good.test:80': port } });
  const client = openClient(proxy, 'GET http://good.test/ HTTP/1.0\r\n\r\n');
  expect(await client.closed).toMatch(/^HTTP\/1\.1 200 OK\r\n.*body$/s);
});

test('a client that disconnects before the response aborts only its own request at the host', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:80': server.port } });
  const request = 'POST http://good.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf';
  const client = openClient(proxy, request);
  await waitFor('half of it', () => (server.text().endsWith('half') ? true : undefined));
  client.socket.destroy();
  await waitFor('the end at the host', () => (server.sockets[0]?.readableEnded ? true : undefined));
  openClient(proxy, request);
  await waitFor('the next request', () => (server.sockets.length === 2 ? true : undefined));
});
