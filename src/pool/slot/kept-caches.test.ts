import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePool } from '../../../test/helpers/pool/test-pool.js';
import { commitFiles, git, writeFiles } from '../../../test/helpers/repository.js';
import { digestFor } from './kept-caches.js';

const keep = { settings: { keep: ['node_modules', 'packages/web/node_modules', 'notes'] } };

test('a kept cache outlives the lease, and nothing else does', async () => {
  const { acquire, pool, store } = await makePool(keep);
  const lease = await acquire();
  writeFiles(lease.path, { 'node_modules/a/index.js': 'a\n', 'build/out.js': 'out\n' });
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free' });
  expect(Object.keys((await store.slots.find(lease.slotId))?.caches ?? {})).toEqual(['node_modules']);
  const next = await acquire();
  expect(readFileSync(join(next.path, 'node_modules/a/index.js'), 'utf8')).toBe('a\n');
  expect(existsSync(join(next.path, 'build'))).toBe(false);
  expect(git(next.path, 'status', '--porcelain')).toBe('');
  expect(await pool.release(next.id)).toMatchObject({ status: 'free', snapshotId: null });
  expect(existsSync(join(next.path, 'node_modules'))).toBe(true);
});

test('a cache made from a lock file that the lease changed is removed', async () => {
  const { acquire, pool } = await makePool(keep);
  const lease = await acquire();
  writeFiles(lease.path, { 'node_modules/a/index.js': 'a\n', 'package-lock.json': '{}\n' });
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free' });
  expect(existsSync(join((await acquire()).path, 'node_modules'))).toBe(false);
});

test('a cache is removed when the slot moves to a commit with another lock file, and kept otherwise', async () => {
  const { acquire, pool, repository, remains } = await makePool(keep);
  const same = commitFiles(repository, { 'README.md': 'changed\n' });
  const other = commitFiles(repository, { 'package-lock.json': '{"lockfileVersion":4}\n' });
  const lease = await acquire();
  writeFiles(lease.path, { 'node_modules/a/index.js': 'a\n' });
  await pool.release(lease.id);
  const kept = await acquire(same);
  expect(existsSync(join(kept.path, 'node_modules/a'))).toBe(true);
  await pool.release(kept.id);
  const dropped = await acquire(other);
  expect(dropped.slotId).toBe(lease.slotId);
  expect(existsSync(join(dropped.path, 'node_modules'))).toBe(false);
  expect(await remains()).toMatchObject([{ holds: 'rubbish' }]);
});

test('a repository in a removed cache is work', async () => {
  const { acquire, pool, repository, remains } = await makePool(keep);
  const other = commitFiles(repository, { 'package-lock.json': '{"lockfileVersion":4}\n' });
  const lease = await acquire();
  writeFiles(lease.path, { 'node_modules/lib/mine.txt': 'precious\n' });
  git(join(lease.path, 'node_modules/lib'), 'init', '--quiet');
  await pool.release(lease.id);
  await acquire(other);
  const [kept] = await remains();
  expect(kept).toMatchObject({ holds: 'work', isPartial: true, base: { commit: lease.commit } });
  const read = (path: string) => readFileSync(join(kept?.directory ?? '', path), 'utf8');
  expect(read('tree/node_modules/lib/mine.txt')).toBe('precious\n');
  expect(read('git/HEAD')).toBe(`${lease.commit}\n`);
});

test('a repository in a cache counts as work even when the slot is removed', async () => {
  const { acquire, pool, remains } = await makePool(keep);
  const lease = await acquire();
  writeFiles(lease.path, { 'node_modules/lib/mine.txt': 'precious\n' });
  git(join(lease.path, 'node_modules/lib'), 'init', '--quiet');
  await pool.release(lease.id);
  expect(await pool.drain()).toEqual({ destroyed: 1, busy: 0 });
  const [kept] = await remains();
  expect(kept).toMatchObject({ holds: 'work', isPartial: false });
  expect(existsSync(join(kept?.directory ?? '', 'tree/node_modules/lib/mine.txt'))).toBe(true);
});

test('a directory that git does not ignore is not a cache', async () => {
  const { acquire, pool, remains } = await makePool(keep);
  const lease = await acquire();
  writeFiles(lease.path, { 'notes/today.txt': 'mine\n' });
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free' });
  expect(await remains()).toMatchObject([{ holds: 'work' }]);
  expect(existsSync(join((await acquire()).path, 'notes'))).toBe(false);
});

test('a cache belongs to the lock files in the nearest directory above it that has any', () => {
  const ids: Record<string, string> = { 'package-lock.json': '1', 'packages/web/yarn.lock': '2' };
  const digest = (cache: string, change: Record<string, string> = {}) =>
    digestFor(cache, path => ({ ...ids, ...change })[path]);
  const inner = 'packages/web/node_modules';
  expect(digest(inner, { 'package-lock.json': '9' })).toBe(digest(inner));
  expect(digest(inner, { 'packages/web/yarn.lock': '9' })).not.toBe(digest(inner));
  expect(digest('node_modules', { 'packages/web/yarn.lock': '9' })).toBe(digest('node_modules'));
  expect(digest('node_modules', { 'package-lock.json': '9' })).not.toBe(digest('node_modules'));
  expect(digest(inner, { '.gitignore': '9' })).not.toBe(digest(inner));
});
