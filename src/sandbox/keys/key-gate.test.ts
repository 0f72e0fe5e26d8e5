import type { IncomingMessage, RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { ask, KEY, makeKeyedProxy, openTls, PLACEHOLDER } from '../../../test/helpers/network/keyed-proxy.js';
import { openClient, reasonsOf } from '../../../test/helpers/network/test-proxy.js';
import { waitFor } from '../../../test/helpers/wait-for.js';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A host that remembers what it was sent, and answers with `reply`. */
function remember(reply: RequestListener = (_request, answer) => answer.end('fine')) {
  const seen: Seen[] = [];
  const listener: RequestListener = async (request, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    reply(request, answer);
  };
  return { seen, listener };
}

const get = (...headers: string[]) =>
  ['GET /v1 HTTP/1.1', 'Host: keyed.test', 'Connection: close', ...headers, '', ''].join('\r\n');

test('the key replaces its placeholder in the allowed headers, and nowhere else', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  const body = `{"text":"${PLACEHOLDER}"}`;
  const answer = await ask(
    proxy,
    [
      `POST /v1/${PLACEHOLDER} HTTP/1.1`,
      'Host: keyed.test',
      'Connection: close',
      `X-Api-Key: ${PLACEHOLDER}`,
      `Authorization: Bearer ${PLACEHOLDER}`,
      `X-Other: ${PLACEHOLDER}`,
      `Cookie: a=${PLACEHOLDER}`,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(host.seen).toMatchObject([
    {
      url: `/v1/${PLACEHOLDER}`,
      headers: {
        'x-api-key': KEY,
        authorization: `Bearer ${KEY}`,
        'x-other': PLACEHOLDER,
        cookie: `a=${PLACEHOLDER}`,
        host: 'keyed.test',
      },
      body,
    },
  ]);
});

test('a login with the placeholder as password becomes one with the key', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  const login = (password: string) => `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
  await ask(proxy, get(`Authorization: ${login(PLACEHOLDER)}`));
  expect(host.seen[0]?.headers.authorization).toBe(login(KEY));
});

test('another host gets the placeholder, even when the host of the key sends the client there', async () => {
  const redirect = remember((_request, answer) =>
    answer.writeHead(302, { location: 'https://other.test/steal' }).end(),
  );
  const other = remember();
  const proxy = await makeKeyedProxy({ keyed: redirect.listener, other: other.listener });
  expect(await ask(proxy, get(`X-Api-Key: ${PLACEHOLDER}`))).toContain('https://other.test/steal');
  const wish = { target: 'other.test:443', servername: 'other.test', trusts: proxy.world };
  await ask(proxy, get(`X-Api-Key: ${PLACEHOLDER}`).replace('keyed.test', 'other.test'), wish);
  expect(other.seen[0]?.headers['x-api-key']).toBe(PLACEHOLDER);
});

test('another port of the same host does not get the key', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  await ask(proxy, get(`X-Api-Key: ${PLACEHOLDER}`), { target: 'keyed.test:8443', trusts: proxy.world });
  expect(host.seen[0]?.headers['x-api-key']).toBe(PLACEHOLDER);
});

test('the key is never sent over plain HTTP', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  const answer = await openClient(
    proxy,
    `GET http://keyed.test/ HTTP/1.1\r\nHost: keyed.test\r\nConnection: close\r\nX-Api-Key: ${PLACEHOLDER}\r\n\r\n`,
  ).closed;
  expect(answer).toContain('200 OK');
  expect(host.seen[0]?.headers['x-api-key']).toBe(PLACEHOLDER);
});

test('a host without a valid certificate gets nothing', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener, impostor: 'impostor.test' });
  const answer = await ask(proxy, get(`X-Api-Key: ${PLACEHOLDER}`));
  expect(answer).toMatch(/^HTTP\/1\.1 502/);
  expect(answer).toContain('keyed.test:443 failed the TLS handshake');
  expect(host.seen).toEqual([]);
});

test.each([
  [
    'the Host of another',
    get(`X-Api-Key: ${PLACEHOLDER}`).replace('Host: keyed.test', 'Host: other.test'),
    421,
  ],
  ['the Host with another port', get().replace('Host: keyed.test', 'Host: keyed.test:8443'), 421],
  ['an absolute url of another', get().replace('/v1', 'https://other.test/'), 400],
  ['an absolute url of the same host', get().replace('/v1', 'https://keyed.test/v1'), 400],
  ['TRACE, which repeats headers', get(`X-Api-Key: ${PLACEHOLDER}`).replace('GET', 'TRACE'), 405],
  ['two lengths', `${get('Content-Length: 3', 'Content-Length: 4')}abcd`, 400],
  ['a length and chunks', `${get('Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`, 400],
  ['chunks under another name', `${get('Transfer-Encoding: xchunked')}0\r\n\r\n`, 400],
  ['a folded header', get('X-A: 1', ' X-Api-Key: 2'), 400],
  ['a space before the colon', get('Transfer-Encoding : chunked'), 400],
  ['HTTP/2 from the start', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
])('a request with %s is refused', async (_what, text, status) => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  expect(await ask(proxy, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(host.seen).toEqual([]);
});

test('a second CONNECT inside is refused', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  await ask(proxy, 'CONNECT other.test:443 HTTP/1.1\r\nHost: other.test\r\n\r\n');
  expect(host.seen).toEqual([]);
});

test('a TLS name that differs from CONNECT is refused, and so is a missing one', async () => {
  const proxy = await makeKeyedProxy({ keyed: remember().listener });
  for (const servername of ['other.test', '']) {
    const client = await openTls(proxy, { servername, isCareless: true });
    client.socket.write(get(`X-Api-Key: ${PLACEHOLDER}`));
    await client.closed;
    expect(client.text()).toBe('');
  }
  const reason = 'keyed.test:443 was allowed, but the TLS connection named another host, or none';
  expect(reasonsOf(proxy)).toEqual([reason, reason]);
});

test('a tunnel that speaks no TLS is closed', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  const connectKeyed = 'CONNECT keyed.test:443 HTTP/1.1\r\nHost: keyed.test\r\n\r\n';
  await openClient(proxy, connectKeyed, get(`X-Api-Key: ${PLACEHOLDER}`)).closed;
  expect(host.seen).toEqual([]);
});

test('an upgrade to HTTP/2 is passed on as a plain request', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  await ask(proxy, get('Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABk'));
  expect(host.seen[0]?.headers).not.toHaveProperty('upgrade');
  expect(host.seen[0]?.headers).not.toHaveProperty('http2-settings');
});

test('a request for a WebSocket is refused with the reason, and reaches no host', async () => {
  const host = remember();
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  const headers = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='];
  for (const connection of ['Upgrade', 'keep-alive, upgrade']) {
    const wish = get(
      'Upgrade: WebSocket',
      `Connection: ${connection}`,
      ...headers,
      `X-Api-Key: ${PLACEHOLDER}`,
    );
    const answer = await ask(proxy, wish);
    expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
    expect(answer).toContain(
      'carrel: WebSockets to keyed.test are not supported with sandbox.keys: proxy; use HTTP',
    );
  }
  expect(host.seen).toEqual([]);
});

const ECHOES: Readonly<Record<string, RequestListener>> = {
  'in the text of an error': (request, answer) =>
    answer.writeHead(401).end(`bad key: ${request.headers['x-api-key']}`),
  'in JSON': (request, answer) => answer.end(JSON.stringify({ headers: request.headers })),
  'in base64': (request, answer) =>
    answer.end(Buffer.from(`key=${request.headers['x-api-key']};`).toString('base64')),
  'in a header': (request, answer) => answer.writeHead(200, { 'x-echo': request.headers['x-api-key'] }).end(),
  'in a url that it sends the client to': (request, answer) =>
    answer
      .writeHead(302, {
        location: `https://other.test/?k=${encodeURIComponent(String(request.headers['x-api-key']))}`,
      })
      .end(),
  'compressed, although that was not requested': (request, answer) =>
    answer
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(gzipSync(`bad key: ${request.headers['x-api-key']}`)),
  'one byte after the other': async (request, answer) => {
    for (const byte of `bad key: ${request.headers['x-api-key']}`) {
      answer.write(byte);
      await new Promise(resolve => setImmediate(resolve));
    }
    answer.end();
  },
};

for (const [how, reply] of Object.entries(ECHOES))
  test(`a host that repeats the key ${how} does not leak it`, async () => {
    const host = remember(reply);
    const proxy = await makeKeyedProxy({ keyed: host.listener });
    const answer = await ask(
      proxy,
      get(`X-Api-Key: ${PLACEHOLDER}`, 'Accept-Encoding: gzip, br', 'Range: bytes=0-9'),
    );
    expect(host.seen[0]?.headers['x-api-key']).toBe(KEY);
    expect(host.seen[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
    expect(host.seen[0]?.headers).not.toHaveProperty('range');
    const flat = answer.replaceAll(/\r\n[0-9a-f]+\r\n/g, '');
    for (const part of [
      KEY,
      'TheRealKey',
      encodeURIComponent(KEY),
      'VGhlUmVhbEtl',
      'RoZVJlYWxLZX',
      'aGVSZWFsS2V5',
    ])
      expect(flat).not.toContain(part);
    expect(flat).toContain('[redacted]');
  });

test('an answer that cannot be read is not passed on', async () => {
  const host = remember((_request, answer) => answer.writeHead(200, { 'content-encoding': 'zstd' }).end('?'));
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  expect(await ask(proxy, get())).toMatch(/^HTTP\/1\.1 502/);
});

test('events pass through as they are sent, and the connection serves the next request', async () => {
  let more = () => {};
  const host = remember((request, answer) => {
    if (request.url !== '/events') return answer.end('second');
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write('data: one\n\n');
    more = () => answer.end('data: two\n\n');
  });
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  const client = await openTls(proxy);
  client.socket.write('GET /events HTTP/1.1\r\nHost: keyed.test\r\n\r\n');
  await client.has('data: one\n\n');
  expect(client.text()).not.toContain('two');
  more();
  await client.has('data: two\n\n');
  client.socket.write(`GET /more HTTP/1.1\r\nHost: keyed.test\r\nX-Api-Key: ${PLACEHOLDER}\r\n\r\n`);
  await client.has('second');
  expect(host.seen.map(({ url }) => url)).toEqual(['/events', '/more']);
  expect(host.seen[1]?.headers['x-api-key']).toBe(KEY);
});

thoroughTest('large bodies pass through both ways, chunked and with a length', async () => {
  const host = remember((_request, answer) => answer.end('y'.repeat(5_000_000)));
  const proxy = await makeKeyedProxy({ keyed: host.listener });
  const head = ['POST / HTTP/1.1', 'Host: keyed.test', 'Connection: close'];
  const big = 'x'.repeat(5_000_000);
  const [one, two] = await Promise.all([
    ask(proxy, [...head, `Content-Length: ${big.length}`, '', big].join('\r\n')),
    ask(proxy, [...head, 'Transfer-Encoding: chunked', '', `4c4b40\r\n${big}\r\n0\r\n\r\n`].join('\r\n')),
  ]);
  expect(host.seen.map(({ body }) => body.length)).toEqual([5_000_000, 5_000_000]);
  for (const answer of [one, two]) expect(answer.match(/y/g)?.length).toBe(5_000_000);
});

test('a client that disconnects closes the connection to the host', async () => {
  let isClosed = false;
  const proxy = await makeKeyedProxy({
    keyed: (request, answer) => {
      request.socket.on('close', () => {
        isClosed = true;
      });
      answer.write('begun');
    },
  });
  const client = await openTls(proxy);
  client.socket.write(get());
  await client.has('begun');
  client.socket.destroy();
  await waitFor('the end of the connection', () => isClosed || undefined);
});
