import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../../test/helpers/repository.js';
import { sendRequest } from '../../../../test/helpers/server/send-request.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';
import { tempDir } from '../../../../test/helpers/temp.js';

async function startWithPages() {
  const root = tempDir();
  writeFiles(root, {
    'secret.txt': 'top secret',
    'pages/index.html': '<!doctype html>index',
    'pages/assets/main-abc123.js': 'main()',
  });
  symlinkSync(join(root, 'secret.txt'), join(root, 'pages', 'link.txt'));
  const { url } = await startTestServer({ settings: { dashboardDirectory: join(root, 'pages') } });
  return { get: (path: string, headers = {}) => sendRequest(url, path, { headers }) };
}

test('pages need no token, load nothing from elsewhere, and only immutable files are cached', async () => {
  const { get } = await startWithPages();
  const index = await get('/');
  expect(index).toMatchObject({ status: 200, body: '<!doctype html>index' });
  expect(index.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  const script = await get('/assets/main-abc123.js');
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect((await get('/healthz')).headers['cache-control']).toBe('no-store');
  expect(await get('/tasks/task_123')).toMatchObject({ status: 200, body: '<!doctype html>index' });
  expect(await get('/assets/gone.js')).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
  const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  expect(await get('/', navigation)).toMatchObject({ status: 200 });
  expect(await get('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toMatchObject({
    status: 403,
  });
});

test('pages are compressed only for clients that accept gzip', async () => {
  const { get } = await startWithPages();
  for (const accepted of ['gzip', 'br, gzip;q=0.8', 'gzip, deflate']) {
    const { headers } = await get('/', { 'accept-encoding': accepted });
    expect(headers, accepted).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  }
  for (const accepted of ['', 'br', 'gzip;q=0', 'xgzip']) {
    const answer = await get('/', { 'accept-encoding': accepted });
    expect(answer.headers['content-encoding'], accepted).toBeUndefined();
    expect(answer.body).toBe('<!doctype html>index');
  }
});

test('no path leads out of the directory of the pages', async () => {
  const { get } = await startWithPages();
  const paths = [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '//secret.txt',
    '/%00/secret.txt',
    '/index.html%00.txt',
    '/link.txt',
  ];
  for (const path of paths) {
    const answer = await get(path);
    expect(answer.body, path).not.toContain('top secret');
    expect([400, 404], path).toContain(answer.status);
  }
});
