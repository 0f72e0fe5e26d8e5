import { expect, test } from 'vitest';
import { signIn } from '../../../../test/helpers/server/browser-session.js';
import { type Answer, sendRequest } from '../../../../test/helpers/server/send-request.js';
import { startTestServer, type TestServer } from '../../../../test/helpers/server/test-server.js';

const ROUTE = '/api/login-links';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const post = ({ url, token }: TestServer, headers: Record<string, string>, body?: string): Promise<Answer> =>
  sendRequest(url, ROUTE, { method: 'POST', headers: { ...bearer(token), ...headers }, body });

test('without the right token only the health check answers', async () => {
  const server = await startTestServer();
  const { url, token } = server;
  const ask = (path: string, headers = {}) => sendRequest(url, path, { headers });
  expect(await ask('/healthz')).toMatchObject({ status: 200 });
  for (const path of ['/api/overview', '/api/no-such-thing', '/%61pi/overview', '/metrics', '/api'])
    expect(await ask(path), path).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  for (const wrong of ['x', token.slice(0, -1), `${token}x`, 'ü', ''])
    expect(await ask('/metrics', bearer(encodeURI(wrong))), wrong).toMatchObject({ status: 401 });
  expect(await ask('/metrics', { authorization: `Basic ${token}` })).toMatchObject({ status: 401 });
  // Nor is it accepted in the URL, which logs and histories keep.
  expect(await ask(`/metrics?token=${token}&access_token=${token}`)).toMatchObject({ status: 401 });
  expect((await ask('/metrics')).headers['www-authenticate']).toBe('Bearer realm="carrel"');
  expect(await post(server, {})).toMatchObject({ status: 201 });
});

test('a request with a foreign host name is refused even with the token (DNS rebinding)', async () => {
  const server = await startTestServer({ settings: { hostNames: ['desk.example'] } });
  const { port } = server.server;
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '[::ffff:1.2.3.4]',
    'localhost@evil.example',
  ])
    expect((await post(server, { host })).status, host).toSatisfy(status => status === 403 || status === 400);
  expect(await sendRequest(server.url, '/healthz', { headers: { host: 'evil.example' } })).toMatchObject({
    status: 403,
    code: 'REQUEST_REFUSED',
  });
  for (const host of [
    'localhost',
    `LOCALHOST:${port}`,
    'localhost:1',
    `127.0.0.1:${port}`,
    '[::1]',
    'desk.example',
  ])
    expect(await post(server, { host }), host).toMatchObject({ status: 201 });
});

test('requests from a page of another origin are refused, even from another port of this machine', async () => {
  const server = await startTestServer();
  const { url, token } = server;
  const port = server.server.port;
  for (const origin of [
    'https://evil.example',
    'null',
    'http://127.0.0.1:1',
    `http://localhost:${port}`,
    'file://',
    '',
  ])
    expect(await post(server, { origin }), origin).toMatchObject({ status: 403, code: 'REQUEST_REFUSED' });
  for (const site of ['cross-site', 'same-site'])
    expect(await post(server, { 'sec-fetch-site': site }), site).toMatchObject({ status: 403 });
  expect(await post(server, { origin: url, 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 201 });
  const preflight = await sendRequest(url, ROUTE, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST', ...bearer(token) },
  });
  expect(preflight.status).toBe(403);
  expect(Object.keys(preflight.headers).filter(name => name.startsWith('access-control'))).toEqual([]);
});

test('a form post changes nothing, with or without a session cookie', async () => {
  const server = await startTestServer();
  const { url } = server;
  const { cookie, key } = await signIn(server);
  const session = { cookie, 'x-carrel-session': key };
  const send = (method: string, headers: Record<string, string>, body?: string) =>
    sendRequest(url, '/api/session', { method, headers: { ...session, ...headers }, body });
  expect(await sendRequest(url, '/metrics', { headers: session })).toMatchObject({ status: 200 });
  expect(await send('DELETE', {})).toMatchObject({ status: 403, code: 'REQUEST_REFUSED' });
  expect(await send('DELETE', { origin: 'https://evil.example' })).toMatchObject({ status: 403 });
  expect(await send('DELETE', { origin: url })).toMatchObject({ status: 204 });
  for (const type of [
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    '',
  ])
    expect(await post(server, type === '' ? {} : { 'content-type': type }, '{}'), type).toMatchObject({
      status: 415,
      code: 'MEDIA_TYPE_UNSUPPORTED',
    });
  expect(await post(server, { 'content-type': 'application/json; charset=utf-8' }, '{}')).toMatchObject({
    status: 201,
  });
});

test('after too many wrong tokens an address has to wait, but the right one is still accepted', async () => {
  const server = await startTestServer({ limits: { failedLoginsPerMinute: 3 } });
  const guess = () => sendRequest(server.url, '/metrics', { headers: bearer('guess') });
  const statuses = [];
  for (let count = 0; count < 4; count++) statuses.push((await guess()).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect(Number((await guess()).headers['retry-after'])).toBeGreaterThan(0);
  expect(await sendRequest(server.url, '/login?code=guess')).toMatchObject({ status: 429 });
  expect(await post(server, {})).toMatchObject({ status: 201 });
});

test('one address cannot send more than its share', async () => {
  const { url } = await startTestServer({ limits: { requestsPerSecond: 0.01, requestBurst: 2 } });
  const ask = () => sendRequest(url, '/healthz');
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
  expect(await ask()).toMatchObject({
    status: 429,
    code: 'TOO_MANY_REQUESTS',
    headers: { 'retry-after': '100' },
  });
});
