import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { isHeld } from '../../../test/helpers/crash/crash-site.js';
import { flavours, thoroughTest } from '../../../test/helpers/flavours.js';
import { requireOverlay, unmountBelow } from '../../../test/helpers/pool/overlay.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { type App, openApp } from '../../app.js';
import type { SlotKind } from '../../domain/workspace/slot.js';
import type { WorkspaceLease } from '../../pool/workspace-pool.js';
import { collectGarbage } from '../cleanup/gc.js';
import { drainPool, type LeasePool, openWorkspacePool, poolStatus, warmPool } from './manage-pool.js';

interface Site {
  readonly app: App;
  readonly pool: LeasePool;
  readonly repository: string;
  readonly acquire: () => Promise<WorkspaceLease>;
  /** Resolves when everything left by leases is captured and deleted. */
  readonly settled: () => Promise<void>;
}

async function makeSite(kind: SlotKind): Promise<Site> {
  const repository = makeRepository({ 'one.txt': 'one\n', 'two.txt': 'two\n', '.gitignore': '*.log\n' });
  const { env, home } = createCarrel();
  onTestFinished(() => unmountBelow(home));
  const app = await openApp({ environment: env, cwd: repository });
  const pool = await openWorkspacePool(app, { repository });
  onTestFinished(async () => {
    await drainPool(app, { repository });
    await pool.close();
    await app.close();
  });
  const commit = git(repository, 'rev-parse', 'HEAD');
  return {
    app,
    pool,
    repository,
    acquire: () => pool.acquire({ commit, kind, holder: 'a test', timeoutMs: 20_000 }),
    settled: () => expect.poll(() => app.store.remains.list(), { timeout: 20_000 }).toEqual([]),
  };
}

describe.each(flavours<'checkout' | 'overlay'>('checkout', 'overlay'))('with %s slots', kind => {
  beforeEach(context => (kind === 'overlay' ? requireOverlay(context) : undefined));

  test('files that a lease leaves become a snapshot while the process keeps running', async () => {
    const { app, pool, repository, acquire, settled } = await makeSite(kind);
    const lease = await acquire();
    writeFiles(lease.path, { 'one.txt': 'changed\n', 'new.txt': 'new\n' });
    rmSync(join(lease.path, 'two.txt'));
    const { status, snapshotId } = await pool.release(lease.id);
    expect(status).toBe('free');
    await settled();
    const snapshot = await app.store.snapshots.find(snapshotId as string);
    const names = git(repository, 'ls-tree', '-r', '--name-only', snapshot?.commit as string);
    expect(names.split('\n')).toEqual(['.gitignore', 'new.txt', 'one.txt']);
    expect(git(repository, 'show', `${snapshot?.commit}:one.txt`)).toBe('changed');
  });

  test('work that is in git alone is kept too: a branch, what is staged and deleted, a stash', async () => {
    const { pool, repository, acquire, settled } = await makeSite(kind);
    const lease = await acquire();
    git(lease.path, 'checkout', '--quiet', '-b', 'idea');
    const onBranch = commitFiles(lease.path, { 'idea.txt': 'an idea\n' });
    git(lease.path, 'checkout', '--quiet', '--detach', 'HEAD~1');
    expect(git(lease.path, 'status', '--porcelain')).toBe('');
    expect((await pool.release(lease.id)).snapshotId).not.toBeNull();
    await settled();
    expect(isHeld(repository, onBranch)).toBe(true);

    const next = await acquire();
    writeFiles(next.path, { 'staged.txt': 'staged\n' });
    git(next.path, 'add', 'staged.txt');
    const staged = git(next.path, 'rev-parse', ':staged.txt');
    rmSync(join(next.path, 'staged.txt'));
    expect((await pool.release(next.id)).snapshotId).not.toBeNull();
    await settled();
    expect(listHeld(repository)).toContain(staged);

    const last = await acquire();
    writeFiles(last.path, { 'one.txt': 'stashed\n' });
    git(last.path, 'stash', 'push', '--quiet');
    const stash = git(last.path, 'rev-parse', 'stash@{0}');
    expect((await pool.release(last.id)).snapshotId).not.toBeNull();
    await settled();
    expect(isHeld(repository, stash)).toBe(true);
  });

  thoroughTest('a slot drained right after its release is captured first', async () => {
    const { app, pool, repository, acquire, settled } = await makeSite(kind);
    const lease = await acquire();
    writeFiles(lease.path, { 'new.txt': 'only here\n' });
    const { snapshotId } = await pool.release(lease.id);
    expect(await drainPool(app, { repository })).toMatchObject({ destroyed: 1, busy: [] });
    await settled();
    const snapshot = await app.store.snapshots.find(snapshotId as string);
    expect(git(repository, 'show', `${snapshot?.commit}:new.txt`)).toBe('only here');
  });

  thoroughTest('a slot in quarantine is drained with its work kept', async () => {
    const { app, pool, repository, acquire, settled } = await makeSite(kind);
    const lease = await acquire();
    writeFiles(lease.path, { 'new.txt': 'only here\n' });
    const work = git(lease.path, 'hash-object', 'new.txt');
    spoil(join(lease.path, '..'), kind);
    expect(await pool.release(lease.id)).toMatchObject({ status: 'quarantined' });
    const [slot] = (await poolStatus(app, { repository })).slots;
    expect(slot).toMatchObject({ id: lease.slotId, status: 'quarantined', lease: null });
    expect(slot?.reason).toEqual(expect.any(String));
    expect(await drainPool(app, { repository })).toMatchObject({ destroyed: 1 });
    await settled();
    expect(listHeld(repository)).toContain(work);
  });
});

function spoil(directory: string, kind: SlotKind): void {
  writeFileSync(join(directory, kind === 'overlay' ? 'overlay.json' : 'index'), 'no longer what it was');
}

/** The ids of everything that snapshots lead to. */
function listHeld(repository: string): string[] {
  const listed = git(repository, 'rev-list', '--objects', '--glob=refs/carrel/snapshots/*');
  return listed.split('\n').map(line => line.split(' ')[0] ?? '');
}

test.each([0, -1, 1.5, Number.NaN])('warming %s slots is refused before anything is created', async count => {
  const repository = makeRepository();
  const { env, cacheDir } = createCarrel();
  const app = await openApp({ environment: env, cwd: repository });
  await expect(warmPool(app, { repository, count })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(existsSync(cacheDir)).toBe(false);
  await app.close();
});

test('gc of everything destroys the free slots of a repository that is gone, and reports where work is', async () => {
  const { app, pool, repository, acquire } = await makeSite('checkout');
  const [free, used] = [await acquire(), await acquire()];
  await pool.release(free.id);
  writeFiles(used.path, { 'new.txt': 'only here\n' });
  spoil(join(used.path, '..'), 'checkout');
  expect(await pool.release(used.id)).toMatchObject({ status: 'quarantined' });
  renameSync(repository, `${repository}-elsewhere`);
  const { items } = await collectGarbage(app, { repository: '/', all: true, execute: true, olderThanMs: 0 });
  renameSync(`${repository}-elsewhere`, repository);
  const itemOf = (id: string) => items.find(item => item.id === id);
  expect(itemOf(free.slotId)).toMatchObject({ outcome: 'removed' });
  expect(itemOf(used.slotId)).toMatchObject({ outcome: 'kept', path: join(used.path, '..') });
  expect((await app.store.slots.list()).slots.map(({ id }) => id)).toEqual([used.slotId]);
  expect(existsSync(free.path)).toBe(false);
});
