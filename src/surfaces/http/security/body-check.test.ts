import { expect, test } from 'vitest';
import { openSocket, readToEnd, sendRequest } from '../../../../test/helpers/server/send-request.js';
import { startTestServer, type TestServer } from '../../../../test/helpers/server/test-server.js';

const MEGABYTE = 1024 ** 2;

/** Writes until the server answers, up to 100 MB; returns the answer and the number of bytes that the server read. */
async function pour({ url, token }: TestServer, headers: string): Promise<{ answer: string; sent: number }> {
  const socket = await openSocket(url);
  const answered = readToEnd(socket);
  socket.write(`POST /api/login-links HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`);
  socket.write(`Content-Type: application/json\r\n${headers}\r\n\r\n`);
  const chunk = `${MEGABYTE.toString(16)}\r\n${' '.repeat(MEGABYTE)}\r\n`;
  let sent = 0;
  while (sent < 100 * MEGABYTE && socket.writable) {
    sent += MEGABYTE;
    if (!socket.write(chunk))
      await new Promise(resolve => socket.once('drain', resolve).once('close', resolve));
  }
  return { answer: await answered, sent };
}

test('keeps little of a body of 100 MB, with or without a length', async () => {
  const server = await startTestServer();
  for (const headers of ['Content-Length: 104857600', 'Transfer-Encoding: chunked']) {
    const before = process.memoryUsage().arrayBuffers;
    const { answer } = await pour(server, headers);
    expect(answer.split('\r\n')[0], headers).toBe('HTTP/1.1 413 Payload Too Large');
    expect(answer).toContain('BODY_TOO_LARGE');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MEGABYTE);
  }
  expect(await server.client.health()).toMatchObject({ status: 'ok' });
});

test('an invalid body is a problem that says where', async () => {
  const { url, token } = await startTestServer();
  const send = (body: string) =>
    sendRequest(url, '/api/workspaces', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    });
  const broken = await send('{"name": ');
  expect(broken).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
  expect(JSON.parse(broken.body)).toMatchObject({
    type: '/problems/REQUEST_INVALID',
    detail: 'body: is not valid JSON',
    instance: broken.headers['x-request-id'],
  });
  const wrong = await send('{"name": 5, "strict": "yes"}');
  expect(wrong).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
  expect(JSON.parse(wrong.body).details.issues.map(({ at }: { at: string }) => at)).toEqual([
    'body.name',
    'body.strict',
  ]);
});
