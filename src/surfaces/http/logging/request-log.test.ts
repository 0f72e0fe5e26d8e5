import { expect, test } from 'vitest';
import { openSocket, readToEnd, sendRequest } from '../../../../test/helpers/server/send-request.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';

test('a request is one line with its id and no secret', async () => {
  const { url, token, server, log } = await startTestServer();
  const link = server.createLoginLink();
  const code = new URL(link).searchParams.get('code') ?? 'none';
  const login = await sendRequest(url, link.slice(new URL(link).origin.length));
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0]?.split('=')[1] ?? 'none';
  const headers = { authorization: `Bearer ${token}` };
  const answer = await sendRequest(url, `/api/tokens/${token}?token=${token}`, { headers });
  const lines = log.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  expect(lines).toEqual([
    expect.objectContaining({ method: 'GET', path: '/login', status: 303 }),
    {
      level: 'info',
      time: expect.any(String),
      requestId: answer.headers['x-request-id'],
      method: 'GET',
      path: '/api/tokens/[redacted]',
      status: 404,
      ms: expect.any(Number),
      msg: 'request',
    },
  ]);
  for (const secret of [token, code, cookie]) expect(log.join('')).not.toContain(secret);
});

test('no request can add a line to the log or a header to the answer', async () => {
  const { url, token, log } = await startTestServer();
  const headers = {
    authorization: `Bearer ${token}`,
    'x-request-id': '{"level":"error","msg":"forged"}',
    'user-agent': 'forged',
  };
  const paths = [
    '/api/a%0d%0aSet-Cookie:%20forged=1',
    '/api/a%0A{"msg":"forged"}',
    '/login?code=%0d%0aforged:%201',
  ];
  for (const path of paths) {
    const answer = await sendRequest(url, path, { headers });
    expect(Object.keys(answer.headers)).not.toContain('forged');
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  }
  const socket = await openSocket(url);
  socket.write(`GET /\x1b[2J\xff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, 'latin1');
  await readToEnd(socket);
  for (const line of log) {
    expect(line).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(line).msg).not.toBe('forged');
  }
});
