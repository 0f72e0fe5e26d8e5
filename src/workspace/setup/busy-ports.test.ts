import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { canBind, createPortCheck, parseSocketTable } from './busy-ports.js';

async function listen(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test.each(['127.0.0.1', '::1', '0.0.0.0', '::'])(
  'a port with a listener at %s is busy with both methods',
  async host => {
    const port = await listen(host);
    expect(await createPortCheck()(port)).toBe(false);
    expect(await canBind(port)).toBe(false);
  },
);

test('a port whose listener has closed is free with both methods', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  expect(await createPortCheck()(port)).toBe(true);
  expect(await canBind(port)).toBe(true);
});

test('a socket table lists local ports in use, without those of closed connections', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1',
    '  10: 0100007F:1F91 0100007F:0016 01 00000000:00000000 00:00000000 00000000     0        0 2 1',
    ' 100: 0100007F:1F92 0100007F:0016 06 00000000:00000000 00:00000000 00000000     0        0 0 3',
    '   0: 00000000000000000000000001000000:1F93 00000000000000000000000000000000:0000 0A 00000000',
    '',
  ].join('\n');
  expect(parseSocketTable(table)).toEqual([8080, 8081, 8083]);
});
