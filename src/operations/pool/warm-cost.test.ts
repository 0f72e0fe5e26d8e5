import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { identifyFiles, makeCountingGit } from '../../../test/helpers/git/counting-git.js';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { openApp } from '../../app.js';
import { drainPool, openWorkspacePool, poolStatus, warmPool } from './manage-pool.js';

// What makes warm slots fast, without a clock: how many processes start, and which files are written.

const SMALL = 5;
const LARGE = 500;

async function makeSite(files: number) {
  const names = Array.from({ length: files }, (_, at) => `folder-${at % 5}/${at}.txt`);
  const repository = makeRepository(Object.fromEntries(names.map(name => [name, `${name}\n`])));
  const { PATH, takeCalls } = makeCountingGit();
  const { env } = createCarrel(tempDir(), { PATH });
  const app = await openApp({ environment: env, cwd: repository });
  const pool = await openWorkspacePool(app, { repository });
  onTestFinished(async () => {
    await drainPool(app, { repository });
    await pool.close();
    await app.close();
  });
  const commit = git(repository, 'rev-parse', 'HEAD');
  await warmPool(app, { repository, count: 1, kind: 'checkout' });
  const [slot] = (await poolStatus(app, { repository })).slots;
  const settle = () => expect.poll(() => app.store.remains.list(), { timeout: 20_000 }).toEqual([]);
  const acquire = () => pool.acquire({ commit, kind: 'checkout', holder: 'a test', timeoutMs: 20_000 });
  return { pool, acquire, settle, takeCalls, path: slot?.path as string };
}

/** Takes the warm slot and gives it back, with an agent's work in between. */
async function takeTurn(files: number) {
  const { pool, acquire, settle, takeCalls, path } = await makeSite(files);
  const warm = identifyFiles(path);
  takeCalls();
  const lease = await acquire();
  const acquired = { calls: takeCalls(), isWarm: lease.isWarm, path: lease.path };
  const taken = identifyFiles(path);
  writeFiles(path, { 'folder-0/0.txt': 'edited\n', 'new/file.txt': 'new\n' });
  rmSync(join(path, 'folder-1/1.txt'));
  await pool.release(lease.id, { work: 'discard' });
  const reset = { calls: takeCalls(), files: identifyFiles(path) };
  await settle();
  return { path, warm, acquired, taken, reset };
}

test('taking a warm slot checks nothing out, and does not take longer in a larger repository', async () => {
  const [small, large] = [await takeTurn(SMALL), await takeTurn(LARGE)];
  expect(large.warm.size).toBe(LARGE);
  expect(large.acquired).toMatchObject({ isWarm: true, path: large.path });
  expect(large.taken).toEqual(large.warm);
  expect(large.acquired.calls).toEqual(small.acquired.calls);
  for (const command of ['checkout', 'checkout-index', 'clone', 'read-tree', 'reset', 'worktree'])
    expect(large.acquired.calls).not.toContain(command);
});

test('a reset writes only what was touched, with as many processes in a larger repository', async () => {
  const [small, large] = [await takeTurn(SMALL), await takeTurn(LARGE)];
  expect(large.reset.calls).toEqual(['read-tree']);
  expect(small.reset.calls).toEqual(['read-tree']);
  const { files } = large.reset;
  expect([...files.keys()]).toEqual([...large.warm.keys()]);
  const written = [...files].filter(([path, identity]) => identity !== large.warm.get(path));
  expect(written.map(([path]) => path)).toEqual(['folder-0/0.txt', 'folder-1/1.txt']);
  expect(git(large.path, 'status', '--porcelain', '--ignored')).toBe('');
});
