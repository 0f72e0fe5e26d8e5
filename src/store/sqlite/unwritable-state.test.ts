import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { needPart } from '../../../test/parts/required-part.js';
import { sampleWorkspace } from '../contract/sample-records.js';
import { openSqliteStore } from './open-sqlite-store.js';

test('a state directory below a file is not writable', async () => {
  const blocker = join(tempDir(), 'file');
  writeFileSync(blocker, 'x');
  const file = join(blocker, 'carrel', 'carrel.db');
  await expect(openSqliteStore({ file, now: Date.now })).rejects.toMatchObject({
    code: 'STATE_NOT_WRITABLE',
    details: { path: file, problem: 'ENOTDIR' },
  });
});

test('a directory in the place of the database is not writable', async () => {
  const file = join(tempDir(), 'carrel.db');
  mkdirSync(file);
  await expect(openSqliteStore({ file, now: Date.now })).rejects.toMatchObject({
    code: 'STATE_NOT_WRITABLE',
  });
});

test('a read-only file system is not writable, with a database on it and without', async () => {
  const root = mountSmall('1m');
  await (await openSqliteStore({ file: join(root, 'there.db'), now: Date.now })).close();
  mount('--bind', root, root);
  mount('-o', 'remount,bind,ro', root);
  for (const name of ['there.db', 'absent.db', 'absent/carrel.db']) {
    const file = join(root, name);
    await expect(openSqliteStore({ file, now: Date.now })).rejects.toMatchObject({
      code: 'STATE_NOT_WRITABLE',
      details: { path: file, problem: 'EROFS' },
    });
  }
});

test('a disk that is full from the start is reported as full', async () => {
  const root = mountSmall('64k');
  fill(root);
  const file = join(root, 'carrel.db');
  await expect(openSqliteStore({ file, now: Date.now })).rejects.toMatchObject({ code: 'DISK_FULL' });
  rmSync(join(root, 'filling'));
});

test('a disk that fills up while writing loses no data, and writing continues when there is space', async () => {
  const root = mountSmall('512k');
  const store = await openSqliteStore({ file: join(root, 'carrel.db'), now: Date.now });
  await store.workspaces.insert(sampleWorkspace(), []);
  fill(root);
  await expect(insertUntilFull(store)).rejects.toMatchObject({
    code: 'DISK_FULL',
    details: { path: store.location },
  });
  const before = await store.workspaces.list();
  expect(before).toContainEqual(sampleWorkspace());
  rmSync(join(root, 'filling'));
  await store.workspaces.insert(sampleWorkspace({ id: 'ws_later', name: 'later' }), []);
  expect(await store.workspaces.list()).toHaveLength(before.length + 1);
  await store.close();
});

async function insertUntilFull(store: Awaited<ReturnType<typeof openSqliteStore>>): Promise<void> {
  for (let i = 0; i < 1000; i++)
    await store.workspaces.insert(sampleWorkspace({ id: `ws_${i}`, name: `n${i}` }), []);
}

/** A separate file system for the running test. */
function mountSmall(size: string): string {
  const root = join(tempDir(), 'mount');
  mkdirSync(root);
  mount('-t', 'tmpfs', '-o', `size=${size}`, 'carrel-test', root);
  return root;
}

/**
 * Undone when the test ends; lazily, because a closed database releases its files only when it is garbage-collected.
 */
function mount(...args: string[]): void {
  needPart(spawnSync('mount', args).status === 0, 'small file systems');
  const point = args.at(-1) as string;
  if (!args.includes('remount,bind,ro')) onTestFinished(() => void execFileSync('umount', ['--lazy', point]));
}

/** Fills all remaining space. */
function fill(root: string): void {
  try {
    writeFileSync(join(root, 'filling'), Buffer.alloc(8 * 1024 * 1024));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
}
