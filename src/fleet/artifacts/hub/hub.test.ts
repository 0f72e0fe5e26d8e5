import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { startFaultyProxy } from '../../../../test/helpers/fleet/faulty-proxy.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { CarrelError } from '../../../domain/error/error.js';
import { blobContract } from '../blob-contract.js';
import { bytesSource, hashBytes } from '../blob-source.js';
import { type HubLimits, openHub } from './hub.js';
import { answerBlob } from './hub-answers.js';
import { openHubStore } from './hub-client.js';

async function startHub(limits: HubLimits = {}) {
  const root = tempDir();
  const hub = openHub(root, limits);
  const server = createAdaptorServer({
    fetch: async (request: Request) => {
      const hash = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
      const { method, headers, body } = request;
      return answerBlob(hub, { method, hash, headers, body }).catch(error => {
        if (!(error instanceof CarrelError)) throw error;
        const status = error.code === 'BLOB_MISSING' ? 404 : 422;
        return new Response(JSON.stringify({ detail: error.message }), { status });
      });
    },
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>(resolve => void server.close(() => resolve())));
  const proxy = await startFaultyProxy((server.address() as AddressInfo).port);
  const url = `http://127.0.0.1:${proxy.port}/fleet/blobs`;
  const limitsOfTest = { idleMs: 2000, pieceBytes: 1_000_000 };
  return { root, proxy, url, store: openHubStore({ url, token: 'secret', ...limitsOfTest }) };
}

blobContract('a hub', {
  createDirectory: tempDir,
  hasNetwork: true,
  open: async () => {
    const { root, proxy, store } = await startHub();
    return {
      store,
      damage: async (hash, bytes) => {
        const file = join(root, hash.slice(0, 2), hash);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, bytes);
      },
      goAway: () => {
        proxy.fault = { kind: 'away' };
      },
      comeBack: () => {
        proxy.fault = { kind: 'none' };
      },
      network: {
        stall: () => {
          proxy.fault = { kind: 'stalled' };
        },
        cut: (direction, bytes) => {
          proxy.fault = { kind: 'cut', direction, bytes };
        },
        sent: proxy.sent,
        received: proxy.received,
        continuesUploads: true,
      },
    };
  },
});

const piece = (bytes: Buffer, range: string) => ({
  method: 'PUT',
  body: new Uint8Array(bytes),
  headers: { 'content-range': range, 'content-type': 'application/octet-stream' },
});

test('bytes with another hash are removed, and the next sender begins again', async () => {
  const { url, store, root } = await startHub();
  const bytes = randomBytes(1000);
  const hash = hashBytes(bytes);
  const lie = await fetch(`${url}/${hash}`, piece(randomBytes(400), 'bytes 0-399/1000'));
  expect([lie.status, lie.headers.get('upload-offset')]).toEqual([202, '400']);
  await expect(store.put(hash, bytesSource(bytes))).rejects.toMatchObject({
    code: 'BLOB_STORE_REFUSED',
    message: expect.stringContaining(hash),
  });
  expect(await readdir(join(root, 'partial'))).toEqual([]);
  await store.put(hash, bytesSource(bytes));
  expect(await store.has([hash])).toEqual(new Set([hash]));
});

test('a piece that does not continue what is there is a conflict, and changes nothing', async () => {
  const { url } = await startHub();
  const hash = hashBytes('x');
  await fetch(`${url}/${hash}`, piece(Buffer.from('abc'), 'bytes 0-2/9'));
  const gap = await fetch(`${url}/${hash}`, piece(Buffer.from('xyz'), 'bytes 6-8/9'));
  expect([gap.status, gap.headers.get('upload-offset')]).toEqual([409, '3']);
});

test('a blob whose last piece arrived before the hub could check it is completed by the next sender', async () => {
  const { store, root } = await startHub();
  const bytes = randomBytes(1000);
  const hash = hashBytes(bytes);
  await mkdir(join(root, 'partial'));
  await writeFile(join(root, 'partial', hash), bytes);
  await store.put(hash, bytesSource(bytes));
  expect(await store.has([hash])).toEqual(new Set([hash]));
});

test('a name that is no hash never becomes a path', async () => {
  const { url, root } = await startHub();
  for (const name of ['..%2f..%2fetc', 'A'.repeat(64), 'partial', '%00'])
    expect((await fetch(`${url}/${name}`, piece(Buffer.from('a'), 'bytes 0-0/1'))).status).toBe(422);
  expect(await readdir(root)).toEqual([]);
});

test('a blob above the limit, a full quota and more bytes than announced are refused', async () => {
  const { url, store, root } = await startHub({ mostBytes: 1000, quotaBytes: 1500 });
  const put = (bytes: Buffer) => store.put(hashBytes(bytes), bytesSource(bytes));
  await expect(put(randomBytes(1001))).rejects.toMatchObject({ code: 'BLOB_STORE_REFUSED' });
  await put(randomBytes(900));
  await expect(put(randomBytes(900))).rejects.toThrow(/900 B of 1\.5 KB in use/);
  const greedy = await fetch(`${url}/${'3'.repeat(64)}`, piece(randomBytes(100), 'bytes 0-9/10'));
  expect(greedy.status).toBe(422);
  expect(await readdir(join(root, 'partial'))).toEqual([]);
});
