import { expect, test } from 'vitest';
import { openSocket, readToEnd } from '../../../../test/helpers/server/send-request.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';

test('a client that sends its headers or body too slowly is disconnected', async () => {
  const { url, token, client } = await startTestServer({ limits: { headersMs: 300, requestMs: 600 } });
  const begin = async (text: string) => {
    const socket = await openSocket(url);
    socket.write(text);
    // A byte from time to time, so that the connection is never silent.
    const drip = setInterval(() => socket.write('x'), 50);
    return readToEnd(socket).finally(() => clearInterval(drip));
  };
  const ends = await Promise.all([
    begin('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
    begin(
      `POST /api/workspaces HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`,
    ),
  ]);
  for (const end of ends) expect(end).toMatch(/^HTTP\/1\.1 408 /);
  expect(await client.health()).toMatchObject({ status: 'ok' });
});

test('a port in use is reported', async () => {
  const { server } = await startTestServer();
  const second = startTestServer({ settings: { port: server.port } });
  await expect(second).rejects.toMatchObject({ code: 'PORT_TAKEN', details: { port: server.port } });
  const strange = startTestServer({ settings: { host: '192.0.2.1' } });
  await expect(strange).rejects.toMatchObject({
    code: 'ADDRESS_UNUSABLE',
    details: { problem: 'EADDRNOTAVAIL' },
  });
});
