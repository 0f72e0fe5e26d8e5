import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { eventTypes, sampleEvent, sampleWorkspace } from '../contract/sample-records.js';
import { storeContract } from '../store-contract.js';
import { openSqliteStore } from './open-sqlite-store.js';

storeContract('the SQLite store', async () => {
  const file = join(tempDir(), 'carrel.db');
  const store = await openSqliteStore({ file, now: Date.now });
  const other = await openSqliteStore({ file, now: Date.now });
  return { store, other, close: () => Promise.all([store.close(), other.close()]).then(() => undefined) };
});

test('the database and the directories above it are for their owner only', async () => {
  const root = tempDir();
  const file = join(root, 'state', 'carrel', 'carrel.db');
  const store = await openSqliteStore({ file, now: Date.now });
  await store.events.append([sampleEvent('recovery.done')]);
  const modes = (names: string[]) => names.map(name => (statSync(join(root, name)).mode & 0o777).toString(8));
  expect(modes(['state', 'state/carrel'])).toEqual(['700', '700']);
  const files = readdirSync(join(root, 'state', 'carrel'));
  expect(files).toContain('carrel.db-wal');
  expect(modes(files.map(name => `state/carrel/${name}`))).toEqual(files.map(() => '600'));
  await store.close();
});

test('a directory that exists keeps its mode', async () => {
  const directory = join(tempDir(), 'mine');
  mkdirSync(directory, { mode: 0o755 });
  await (await openSqliteStore({ file: join(directory, 'carrel.db'), now: Date.now })).close();
  expect(statSync(directory).mode & 0o777).toBe(0o755);
});

test('an empty file is a new database', async () => {
  const file = join(tempDir(), 'carrel.db');
  writeFileSync(file, '');
  const store = await openSqliteStore({ file, now: Date.now });
  expect(await store.workspaces.list()).toEqual([]);
  await store.close();
});

test('data is there after reopening, and every change is flushed', async () => {
  const file = join(tempDir(), 'carrel.db');
  const first = await openSqliteStore({ file, now: Date.now });
  await first.workspaces.insert(sampleWorkspace(), []);
  await first.close();
  const second = await openSqliteStore({ file, now: Date.now });
  expect(await second.workspaces.list()).toEqual([sampleWorkspace()]);
  expect(second.location).toBe(file);
  await second.close();
  expect(new Database(file).prepare('pragma journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
});

test('waiting for a busy database ends at the limit, while reading still works', async () => {
  const { store, holder, file } = await openWithHolder(100);
  holder.exec('begin immediate');
  const append = store.events.append([sampleEvent('recovery.done')]);
  expect(await store.events.list({ limit: 1 })).toEqual([]);
  await expect(append).rejects.toMatchObject({ code: 'STORE_BUSY', details: { file } });
  holder.exec('rollback');
  expect(await eventTypes(store)).toEqual([]);
  await store.close();
});

test('a store that had to wait sees what was written in the meantime, and writes after it', async () => {
  const { store, holder } = await openWithHolder(30_000);
  holder.exec('begin immediate');
  const claim = store.ports.claim(4000, 'ws_1');
  // The second read proves that the claim was tried and refused before.
  expect(await store.ports.list()).toEqual([]);
  holder.exec("insert into ports values (5000, 'ws_2'); commit");
  expect(await claim).toBe(true);
  expect(await store.ports.list()).toEqual([4000, 5000]);
  await store.close();
});

async function openWithHolder(busyTimeoutMs: number) {
  const file = join(tempDir(), 'carrel.db');
  const store = await openSqliteStore({ file, now: Date.now, busyTimeoutMs });
  return { store, file, holder: new Database(file) };
}
