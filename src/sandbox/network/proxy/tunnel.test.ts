import { expect, test } from 'vitest';
import { makeHello } from '../../../../test/helpers/network/client-hello.js';
import { serveTcp } from '../../../../test/helpers/network/closed-network.js';
import {
  CONNECT_GOOD,
  ESTABLISHED,
  echo,
  listening,
  makeProxy,
  openClient,
} from '../../../../test/helpers/network/test-proxy.js';
import { waitFor } from '../../../../test/helpers/wait-for.js';

test('CONNECT joins the client to the host in both directions, and half-closing keeps the response open', async () => {
  const port = await serveTcp(socket => {
    socket.on('data', chunk => socket.write(`got ${chunk}`));
    socket.on('end', () => socket.end(' bye'));
  });
  const proxy = await makeProxy({ servers: { 'good.test:9000': port } });
  const client = openClient(proxy, CONNECT_GOOD);
  await client.has(ESTABLISHED);
  client.socket.write('hello');
  await client.has('got hello');
  client.socket.end();
  expect(await client.closed).toBe(`${ESTABLISHED}got hello bye`);
  expect(proxy.refusals).toEqual([]);
});

test('data sent along with CONNECT is forwarded too', async () => {
  const proxy = await makeProxy({ servers: { 'good.test:9000': await echo() } });
  const client = openClient(proxy, `${CONNECT_GOOD}early`);
  await client.has('early');
  expect(client.text()).toBe(`${ESTABLISHED}early`);
});

test('TLS inside the tunnel must name the host of CONNECT', async () => {
  const server = await listening();
  const servers = { 'good.test:443': server.port, 'good.test:9000': server.port };
  const proxy = await makeProxy({ servers });
  const start = (port: number, ...hello: Buffer[]) =>
    openClient(proxy, `CONNECT good.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, ...hello);

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

test('on port 443 only TLS is forwarded, on other ports anything', async () => {
  const port = await echo();
  const proxy = await makeProxy({ servers: { 'good.test:443': port, 'good.test:9000': port } });
  await openClient(proxy, CONNECT_GOOD, 'SSH-2.0-x').has('SSH-2.0-x');
  const client = openClient(
    proxy,
    'CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n',
  );
  expect(await client.closed).not.toContain('GET');
  expect(proxy.refusals).toMatchObject([{ port: 443, reason: 'server-name' }]);
});

test('a hello that comes byte by byte is held back until complete, and then forwarded', async () => {
  const server = await listening();
  const proxy = await makeProxy({ servers: { 'good.test:443': server.port } });
  const client = openClient(proxy, 'CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  await client.has(ESTABLISHED);
  const hello = makeHello('good.test');
  for (const byte of hello.subarray(0, -1)) client.socket.write(Buffer.from([byte]));
  await waitFor('all of it to be written', () => (client.socket.writableLength === 0 ? true : undefined));
  expect(server.text()).toBe('');
  client.socket.write(hello.subarray(-1));
  await waitFor('the hello', () => (server.text() === hello.toString('latin1') ? true : undefined));
});
