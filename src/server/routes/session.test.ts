import { expect, test } from 'vitest';
import { sendRequest } from '../../../test/helpers/send-request.js';
import { startTestServer } from '../../../test/helpers/test-server.js';

test('a link lets a browser in once, for thirty days, and its session outlives the server', async () => {
  const first = await startTestServer();
  const { port } = first.server;
  const open = (link: string, headers = {}) =>
    sendRequest(first.url, link.slice(first.url.length), { headers });
  const link = first.server.createLoginLink();
  expect(await sendRequest(first.url, link.slice(first.url.length), { method: 'HEAD' })).toMatchObject({
    status: 401,
  });
  const login = await open(link);
  expect(login).toMatchObject({ status: 303, headers: { location: '/' } });
  const [cookie = '', ...attributes] = login.headers['set-cookie']?.[0]?.split('; ') ?? [];
  expect(cookie).toMatch(new RegExp(`^carrel_session_${port}=\\d+\\.[\\w-]+\\.[\\w-]+$`));
  expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Strict']);
  expect(await open(link)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  const again = await open(link, { accept: 'text/html' });
  expect(again).toMatchObject({ status: 303 });
  expect(again.headers['set-cookie']).toBeUndefined();

  await first.stop();
  const second = await startTestServer({ carrel: first.carrel, settings: { port } });
  expect(second.server.newToken).toBeNull();
  const ask = (value: string) => sendRequest(second.url, '/metrics', { headers: { cookie: value } });
  expect(await ask(cookie)).toMatchObject({ status: 200 });
  expect(await ask(cookie.replace(/=\d/, '=9'))).toMatchObject({ status: 401 });
  expect(await ask(`carrel_session_${port}=9999999999999..`)).toMatchObject({ status: 401 });
});

test('whoever has the token makes further links; a session can not', async () => {
  const { url, fetch } = await startTestServer();
  const made = await fetch('/api/login-links', { method: 'POST' });
  expect(made.status).toBe(201);
  const link = ((await made.json()) as { url: string }).url;
  expect(link).toMatch(new RegExp(`^${url}/login\\?code=[\\w-]{32}$`));
  const login = await sendRequest(url, link.slice(url.length));
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const headers = { cookie, origin: url };
  expect(await sendRequest(url, '/api/login-links', { method: 'POST', headers })).toMatchObject({
    status: 401,
  });
  const end = await sendRequest(url, '/api/session', { method: 'DELETE', headers });
  expect(end.headers['set-cookie']?.[0]).toMatch(
    /^carrel_session_\d+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
  );
});
