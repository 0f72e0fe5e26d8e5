import { renameSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import { blobContract } from '../blob-contract.js';
import { bytesSource, hashBytes } from '../blob-source.js';
import { openDirectoryStore, prepareDirectory } from './directory-store.js';

async function openPrepared(options: Parameters<typeof openDirectoryStore>[1] = {}) {
  const root = join(tempDir(), 'blobs');
  await prepareDirectory(root);
  return { root, store: openDirectoryStore(root, options) };
}

blobContract('a directory', {
  createDirectory: tempDir,
  hasNetwork: false,
  open: async () => {
    const { root, store } = await openPrepared();
    return {
      store,
      damage: (hash, bytes) => writeFile(join(root, hash.slice(0, 2), hash), bytes),
      goAway: () => renameSync(root, `${root}.away`),
      comeBack: () => renameSync(`${root}.away`, root),
    };
  },
});

test('a directory that was never prepared, such as a mount point without its share, is not written to', async () => {
  const root = tempDir();
  const store = openDirectoryStore(root, { patienceMs: 1 });
  const put = store.put(hashBytes('a'), bytesSource(Buffer.from('a')));
  await expect(put).rejects.toMatchObject({ code: 'BLOB_STORE_AWAY' });
  expect(await readdir(root)).toEqual([]);
});

test('the quota is a clear error, and leaves no half blob', async () => {
  const { root, store } = await openPrepared({ quotaBytes: 2500 });
  const put = (letter: string) => {
    const bytes = Buffer.alloc(1000, letter);
    return store.put(hashBytes(bytes), bytesSource(bytes));
  };
  await put('a');
  await put('b');
  await expect(put('c')).rejects.toMatchObject({
    code: 'BLOB_QUOTA_REACHED',
    details: { bytes: 1000, quotaBytes: 2500 },
  });
  await put('a');
  expect(await readdir(join(root, 'drafts'))).toEqual([]);
});
