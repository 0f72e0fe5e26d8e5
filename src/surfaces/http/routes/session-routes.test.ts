import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { signIn } from '../../../../test/helpers/server/browser-session.js';
import { sendRequest } from '../../../../test/helpers/server/send-request.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';

test('a link logs a browser in once, for thirty days, and its session outlives the server', async () => {
  const first = await startTestServer();
  const { port } = first.server;
  const link = first.server.createLoginLink();
  expect(link).toMatch(new RegExp(`^http://carrel.localhost:${port}/login\\?code=[\\w-]{32}$`));
  const path = link.slice(new URL(link).origin.length);
  const open = (options = {}) => sendRequest(first.url, path, options);
  expect(await open({ method: 'HEAD' })).toMatchObject({ status: 401 });
  const host = `carrel.localhost:${port}`;
  expect(await open({ headers: { host } })).toMatchObject({ status: 303 });
  expect(await open()).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  const again = await open({ headers: { accept: 'text/html' } });
  expect(again).toMatchObject({ status: 303, headers: { location: '/' } });
  expect(again.headers['set-cookie']).toBeUndefined();

  const { cookie, key, attributes } = await signIn(first);
  expect(cookie).toMatch(new RegExp(`^carrel_session_${port}=\\d+\\.[\\w-]+\\.[\\w-]+$`));
  expect(attributes).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Strict']);
  await first.stop();
  const second = await startTestServer({ carrel: first.carrel, settings: { port } });
  expect(second.server.newToken).toBeNull();
  const ask = (value: string) =>
    sendRequest(second.url, '/metrics', { headers: { cookie: value, 'x-carrel-session': key } });
  expect(await ask(cookie)).toMatchObject({ status: 200 });
  expect(await ask(cookie.replace(/=\d/, '=9'))).toMatchObject({ status: 401 });
  expect(await ask(`carrel_session_${port}=9999999999999..`)).toMatchObject({ status: 401 });
});

test('a cookie that was sent to another port is useless without the key of its session', async () => {
  const server = await startTestServer();
  const [mine, other] = [await signIn(server), await signIn(server)];
  const ask = (headers: Record<string, string>, path = '/metrics') =>
    sendRequest(server.url, path, { headers });
  const { cookie, key } = mine;
  expect(await ask({ cookie, 'x-carrel-session': key })).toMatchObject({ status: 200 });
  expect(await ask({ cookie })).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  expect(await ask({ cookie, 'x-carrel-session': other.key })).toMatchObject({ status: 401 });
  expect(await ask({ cookie, 'x-carrel-session': '' })).toMatchObject({ status: 401 });
  expect(await ask({ 'x-carrel-session': key })).toMatchObject({ status: 401 });
  expect(await ask({ cookie }, `/metrics?key=${key}`)).toMatchObject({ status: 401 });
  expect(await ask({ cookie }, '/api/events')).toMatchObject({ status: 401 });
});

test('behind TLS the cookie is secure', async () => {
  const server = await startTestServer();
  for (const headers of [{ 'x-forwarded-proto': 'https' }, { forwarded: 'for=1.2.3.4;proto=https' }])
    expect((await signIn(server, headers as Record<string, string>)).attributes).toContain('Secure');
  expect((await signIn(server, { 'x-forwarded-proto': 'http' })).attributes).not.toContain('Secure');
});

test('signing out ends the session on the server with its open streams, and no other session', async () => {
  const server = await startTestServer();
  const [mine, other] = [await signIn(server), await signIn(server)];
  const ask = ({ headers }: typeof mine, url = server.url) => sendRequest(url, '/metrics', { headers });
  const stream = await fetch(`${server.url}/api/events`, { headers: mine.headers });
  const reader = stream.body?.getReader();
  await reader?.read();
  const end = await sendRequest(server.url, '/api/session', { method: 'DELETE', headers: mine.headers });
  expect(end.headers['set-cookie']?.[0]).toMatch(
    /^carrel_session_\d+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const drain = async (): Promise<void> => {
    while (!(await reader?.read())?.done);
  };
  await drain().catch(() => undefined);
  expect(await ask(mine)).toMatchObject({ status: 401 });
  expect(await ask(other)).toMatchObject({ status: 200 });
  expect(statSync(`${server.server.tokenFile}.ended-sessions`).mode & 0o777).toBe(0o600);

  await server.stop();
  const second = await startTestServer({ carrel: server.carrel, settings: { port: server.server.port } });
  expect(await ask(mine, second.url)).toMatchObject({ status: 401 });
  expect(await ask(other, second.url)).toMatchObject({ status: 200 });
});

test('a link to a report works once, only for its session and path', async () => {
  const server = await startTestServer();
  const [mine, other] = [await signIn(server), await signIn(server)];
  const path = '/api/batches/none/report';
  const make = (headers: Readonly<Record<string, string>>, wanted = path) =>
    fetch(`${server.url}/api/page-links`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ path: wanted }),
    });
  const link = async () => ((await (await make(mine.headers)).json()) as { url: string }).url;
  const open = (address: string, { cookie } = mine) =>
    sendRequest(server.url, address, { headers: { cookie } });
  const first = await link();
  // There is no such run, so this answer means access.
  expect(await open(first)).toMatchObject({ status: 404 });
  expect(await open(first)).toMatchObject({ status: 401 });
  expect(await open(await link(), other)).toMatchObject({ status: 401 });
  expect(await open((await link()).replace('none', 'other'))).toMatchObject({ status: 401 });
  expect((await make(mine.headers, '/api/overview')).status).toBe(400);
  expect((await make({ cookie: mine.cookie })).status).toBe(401);
  expect((await make({ authorization: `Bearer ${server.token}` })).status).toBe(401);
});

test('the token can create more links, a session cannot', async () => {
  const server = await startTestServer();
  const made = await server.fetch('/api/login-links', { method: 'POST' });
  expect(made.status).toBe(201);
  const { headers } = await signIn(server);
  expect(await sendRequest(server.url, '/api/login-links', { method: 'POST', headers })).toMatchObject({
    status: 401,
  });
});
