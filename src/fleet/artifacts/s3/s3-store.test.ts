import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startFaultyProxy } from '../../../../test/helpers/fleet/faulty-proxy.js';
import { requireS3Server, startS3Server, stopS3Servers } from '../../../../test/helpers/fleet/s3-server.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { blobContract } from '../blob-contract.js';
import { bytesSource, hashBytes } from '../blob-source.js';
import { presign } from './presign.js';
import { openS3Store } from './s3-store.js';

afterEach(stopS3Servers);

async function openBucket() {
  const server = await startS3Server();
  const proxy = await startFaultyProxy(server.port);
  const { bucket, accessKeyId, secretAccessKey } = server;
  const keys = { bucket, region: 'us-east-1', accessKeyId, secretAccessKey };
  const options = { endpoint: `http://127.0.0.1:${proxy.port}`, ...keys, idleMs: 2000 };
  return { server, proxy, options, store: openS3Store(options) };
}

blobContract('an S3 server', {
  requires: requireS3Server,
  createDirectory: tempDir,
  hasNetwork: true,
  open: async () => {
    const { server, proxy, store } = await openBucket();
    return {
      store,
      damage: (hash, bytes) => writeFile(join(server.directory, hash), bytes),
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
        continuesUploads: false,
      },
    };
  },
});

test('a wrong key is one clear error, not a wait', async context => {
  requireS3Server(context);
  const { options } = await openBucket();
  const stranger = openS3Store({ ...options, secretAccessKey: 'wrong' });
  const put = stranger.put(hashBytes('a'), bytesSource(Buffer.from('a')));
  await expect(put).rejects.toMatchObject({ code: 'BLOB_STORE_REFUSED', details: { status: 403 } });
});

test('the store itself refuses bytes with another checksum', async context => {
  requireS3Server(context);
  const { options, store } = await openBucket();
  const hash = hashBytes('what was announced');
  const headers = { 'x-amz-checksum-sha256': Buffer.from(hash, 'hex').toString('base64') };
  const request = { method: 'PUT', key: hash, headers, expiresSeconds: 60, now: Date.now() };
  const answer = await fetch(presign(options, request), { method: 'PUT', headers, body: 'what was sent' });
  expect(answer.status).toBe(400);
  expect(await store.has([hash])).toEqual(new Set());
});

test('a blob above the limit is refused before it is sent', async context => {
  requireS3Server(context);
  const { options } = await openBucket();
  const store = openS3Store({ ...options, mostBytes: 3 });
  const put = store.put(hashBytes('four'), bytesSource(Buffer.from('four')));
  await expect(put).rejects.toMatchObject({ code: 'BLOB_TOO_LARGE' });
});
