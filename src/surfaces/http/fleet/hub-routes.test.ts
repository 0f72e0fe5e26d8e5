import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { bytesSource, hashBytes } from '../../../fleet/artifacts/blob-source.js';
import { downloadBlob } from '../../../fleet/artifacts/download-blob.js';
import { openHubStore } from '../../../fleet/artifacts/hub/hub-client.js';
import { prepareHub } from '../../../fleet/artifacts/hub/hub-settings.js';

async function startHub(limits = {}) {
  const server = await startTestServer();
  const { stateDir, cacheDir } = server.carrel;
  const places = { stateDir, cacheDir, userConfigFile: '', temporaryRoot: stateDir };
  const { token, directory } = await prepareHub({ places }, limits);
  const url = `${server.url}/fleet/blobs`;
  return { server, token, directory, url, store: openHubStore({ url, token }) };
}

const bytes = randomBytes(9_000_000);
const hash = hashBytes(bytes);

test('a server that is a hub keeps blobs, in pieces that are larger than other requests may be', async () => {
  const { store } = await startHub();
  expect(await store.has([hash])).toEqual(new Set());
  await store.put(hash, bytesSource(bytes));
  expect(await store.has([hash])).toEqual(new Set([hash]));
  const file = join(tempDir(), 'blob');
  await downloadBlob(store, hash, file);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test('a server that is no hub has no such route, not even a page', async () => {
  const { url, token, fetch: ask } = await startTestServer();
  const store = openHubStore({ url: `${url}/fleet/blobs`, token });
  expect(await store.has([hash])).toEqual(new Set());
  expect((await ask(`/fleet/blobs/${hash}`, { method: 'PUT', body: 'x' })).status).toBe(404);
});

test("the hub's token opens only blobs, and the server's token does not open them", async () => {
  const { server, token, url, directory } = await startHub();
  const status = async (path: string, given: string, init: RequestInit = {}) =>
    (
      await fetch(server.url + path, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${given}` },
      })
    ).status;
  expect(await status('/api/workspaces', token)).toBe(401);
  expect(await status(`/fleet/blobs/${hash}`, token)).toBe(404);
  const put = { method: 'PUT', body: 'a', headers: { 'content-range': 'bytes 0-0/1' } };
  expect(await status(`/fleet/blobs/${hashBytes('a')}`, server.token, put)).toBe(401);
  expect((await fetch(`${url}/${hashBytes('a')}`, put)).status).toBe(401);
  await expect(readdir(directory)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a full hub and wrong bytes are clear errors', async () => {
  const { store, url, token } = await startHub({ quotaBytes: 1000 });
  await expect(store.put(hash, bytesSource(bytes))).rejects.toMatchObject({
    code: 'BLOB_STORE_REFUSED',
    details: { status: 507, problem: expect.stringContaining('no room') },
  });
  const lie = await fetch(`${url}/${hashBytes('b')}`, {
    method: 'PUT',
    body: 'a',
    headers: { 'content-range': 'bytes 0-0/1', authorization: `Bearer ${token}` },
  });
  expect(lie.status).toBe(422);
  expect(await lie.json()).toMatchObject({ code: 'BLOB_CORRUPT' });
});
