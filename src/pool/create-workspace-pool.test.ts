import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../test/helpers/fingerprint.js';
import { thoroughTest } from '../../test/helpers/flavours.js';
import { makePool } from '../../test/helpers/pool/test-pool.js';
import { commitFiles, git, writeFiles } from '../../test/helpers/repository.js';
import { carrelError } from '../domain/error/error.js';
import { findProcessesInside } from '../exec/inside/processes-inside.js';

test('a lease is a checkout of the commit with its own git directory', async () => {
  const { acquire, repository, head } = await makePool();
  const before = fingerprint(repository);
  const lease = await acquire();
  expect(lease).toMatchObject({ commit: head, kind: 'checkout', isWarm: false });
  expect(git(lease.path, 'rev-parse', 'HEAD')).toBe(head);
  expect(git(lease.path, 'status', '--porcelain', '--ignored')).toBe('');
  expect(readFileSync(join(lease.path, 'source/deep/two.txt'), 'utf8')).toBe('two\n');
  expect(git(lease.path, 'rev-parse', '--absolute-git-dir')).toBe(lease.gitDir);
  expect(git(lease.path, 'rev-parse', '--show-toplevel')).toBe(lease.path);
  expect(fingerprint(repository)).toEqual(before);
});

test('a released slot is handed out again under a new lease, and the old lease is refused', async () => {
  const { acquire, pool } = await makePool();
  const first = await acquire();
  expect(await pool.release(first.id)).toEqual({
    status: 'free',
    reason: null,
    snapshotId: null,
    dropped: [],
  });
  const second = await acquire();
  expect(second).toMatchObject({ slotId: first.slotId, path: first.path, isWarm: true });
  writeFiles(second.path, { 'new.txt': 'mine\n' });
  const stale = { code: 'STALE_LEASE', details: { lease: first.id } };
  await expect(pool.release(first.id)).rejects.toMatchObject(stale);
  await expect(pool.reset(first.id)).rejects.toMatchObject(stale);
  expect(readFileSync(join(second.path, 'new.txt'), 'utf8')).toBe('mine\n');
  await pool.release(second.id);
  await expect(pool.release(second.id)).rejects.toMatchObject({ code: 'STALE_LEASE' });
});

test('of two releases of one lease at once, one is refused', async () => {
  const { acquire, pool } = await makePool();
  const lease = await acquire();
  const results = await Promise.allSettled([pool.release(lease.id), pool.release(lease.id)]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a warm slot moves to another commit and back, with its pin', async () => {
  const { acquire, pool, repository, head } = await makePool();
  const next = commitFiles(repository, { 'README.md': 'changed\n', 'source/three.txt': 'three\n' });
  const pins = () => git(repository, 'for-each-ref', '--format=%(objectname)', 'refs/carrel/pool');
  await pool.release((await acquire(head)).id);
  expect(pins()).toBe(head);
  const ahead = await acquire(next);
  expect(ahead).toMatchObject({ isWarm: true, commit: next });
  expect(readFileSync(join(ahead.path, 'source/three.txt'), 'utf8')).toBe('three\n');
  expect(git(ahead.path, 'rev-parse', 'HEAD')).toBe(next);
  expect(pins()).toBe(next);
  expect(await pool.release(ahead.id)).toMatchObject({ status: 'free', snapshotId: null });
  const back = await acquire(head);
  expect(existsSync(join(back.path, 'source/three.txt'))).toBe(false);
  expect(git(back.path, 'status', '--porcelain', '--ignored')).toBe('');
  expect(await pool.release(back.id)).toMatchObject({ status: 'free', snapshotId: null });
});

test('warming makes slots up to the cap, and moves those at other commits first', async () => {
  const { pool, repository, head } = await makePool({ settings: { size: 3 } });
  expect(await pool.warmup(2, head)).toBe(2);
  const next = commitFiles(repository, { 'README.md': 'changed\n' });
  expect(await pool.warmup(1, next)).toBe(1);
  expect(await pool.stats()).toMatchObject({ total: 2, free: 2, cap: 3 });
  expect(await pool.warmup(9, next)).toBe(3);
  expect(await pool.stats()).toMatchObject({ total: 3, free: 3, leased: 0, changing: 0 });
});

test('callers are served in order, and never more than the cap have a slot', async () => {
  const { acquire, pool } = await makePool({ settings: { size: 2 } });
  const [one, two] = await Promise.all([acquire(), acquire()]);
  const order: number[] = [];
  const waiters = [1, 2, 3].map(async number => {
    const lease = await acquire();
    order.push(number);
    await pool.release(lease.id);
  });
  expect(await pool.stats()).toMatchObject({ total: 2, leased: 2 });
  await pool.release(one?.id as string);
  await Promise.all(waiters);
  expect(order).toEqual([1, 2, 3]);
  await pool.release(two?.id as string);
  expect(await pool.stats()).toMatchObject({ total: 2, free: 2, waiting: 0 });
});

test('waiting stops at the time limit and on a signal, and uses no slot', async () => {
  const { acquire, pool, head } = await makePool({ settings: { size: 1 } });
  const lease = await acquire();
  const ask = (change: object) => pool.acquire({ commit: head, holder: 'b', ...change });
  const stop = new AbortController();
  const waiting = [ask({ timeoutMs: 30 }), ask({ timeoutMs: 60 }), ask({ signal: stop.signal })];
  const outcomes = Promise.allSettled(waiting);
  await expect(waiting[0]).rejects.toMatchObject({ code: 'ACQUIRE_TIMED_OUT', details: { cap: 1 } });
  await expect(waiting[1]).rejects.toMatchObject({ code: 'ACQUIRE_TIMED_OUT' });
  stop.abort(new Error('enough'));
  await expect(waiting[2]).rejects.toThrow('enough');
  await outcomes;
  await pool.release(lease.id);
  expect(await acquire()).toMatchObject({ slotId: lease.slotId });
});

test('a slot that cannot be created leaves no trace, and its place is free', async () => {
  const { acquire, pool, repository, home, head } = await makePool({ settings: { size: 1 } });
  await expect(acquire('0'.repeat(39).concat('1'))).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(await pool.stats()).toMatchObject({ total: 0 });
  expect(git(repository, 'for-each-ref', 'refs/carrel')).toBe('');
  expect(existsSync(join(home, 'worktrees/.pool'))).toBe(false);
  expect(await acquire(head)).toMatchObject({ commit: head });
});

test('a warm slot that cannot move to a commit is removed, and its place is free', async () => {
  const { acquire, pool, head } = await makePool({ settings: { size: 1 } });
  const lease = await acquire();
  await pool.release(lease.id);
  await expect(acquire('0'.repeat(39).concat('1'))).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(await pool.stats()).toMatchObject({ total: 0 });
  expect((await acquire(head)).slotId).not.toBe(lease.slotId);
});

test('at a limit of the disk no slot is made, and warming stops', async () => {
  const limit = { limit: 'free disk', found: '1', allowed: '2', freeable: '0' };
  const { acquire, pool, head } = await makePool({
    requireRoom: async () => {
      throw carrelError('LIMIT_REACHED', limit);
    },
  });
  await expect(acquire()).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  expect(await pool.warmup(2, head)).toBe(0);
  expect(await pool.stats()).toMatchObject({ total: 0 });
});

test('a repository whose checkout is sparse has no pool', async () => {
  const { acquire, repository } = await makePool();
  git(repository, 'config', 'core.sparseCheckout', 'true');
  await expect(acquire()).rejects.toMatchObject({
    code: 'POOL_UNSUPPORTED',
    details: { reason: 'the repository has a sparse checkout' },
  });
});

test('processes in a slot, or with its lease id, are killed before it is handed out again', async () => {
  const { acquire, pool } = await makePool();
  const lease = await acquire();
  const inside = spawn('sleep', ['600'], { cwd: lease.path, detached: true, stdio: 'ignore' });
  const env = { PATH: process.env.PATH ?? '', CARREL_COMMAND_ID: lease.id };
  const marked = spawn('sleep', ['600'], { cwd: '/', env, detached: true, stdio: 'ignore' });
  await Promise.all([once(inside, 'spawn'), once(marked, 'spawn')]);
  const ends = Promise.all([once(inside, 'exit'), once(marked, 'exit')]);
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free' });
  expect((await ends).map(([, signal]) => signal)).toEqual(['SIGTERM', 'SIGTERM']);
});

test('an adopted slot leaves the pool, and the rest of it is removed', async () => {
  const { pool, repository, head, store } = await makePool();
  expect(await pool.adopt(head)).toBeUndefined();
  await pool.warmup(1, head);
  const slot = await pool.adopt(head);
  expect(slot).toMatchObject({ status: 'adopting', commit: head, lease: null });
  expect(await pool.adopt(head)).toBeUndefined();
  await pool.forget(slot?.id as string);
  expect(await store.slots.list()).toEqual({ slots: [], damaged: [] });
  expect(existsSync(slot?.directory as string)).toBe(false);
  expect(git(repository, 'for-each-ref', 'refs/carrel')).toBe('');
});

test('draining removes free slots, reports those in use, and leaves nothing in the end', async () => {
  const { acquire, pool, repository, home, store } = await makePool({ settings: { size: 2 } });
  const before = fingerprint(repository);
  const [one, two] = await Promise.all([acquire(), acquire()]);
  await pool.release(one?.id as string);
  expect(await pool.drain()).toEqual({ destroyed: 1, busy: 1 });
  await expect(acquire()).rejects.toMatchObject({ code: 'POOL_CLOSED' });
  await pool.release(two?.id as string);
  expect(await pool.drain()).toEqual({ destroyed: 1, busy: 0 });
  expect(await store.slots.list()).toEqual({ slots: [], damaged: [] });
  expect(readdirSync(join(home, 'worktrees'))).toEqual(['.trash']);
  expect(git(repository, 'for-each-ref', 'refs/carrel')).toBe('');
  expect(fingerprint(repository)).toEqual(before);
});

test('callers that wait while the pool is drained are rejected', async () => {
  const { acquire, pool } = await makePool({ settings: { size: 1 } });
  const lease = await acquire();
  const waiting = Promise.allSettled([acquire(), acquire()]);
  expect(await pool.drain()).toEqual({ destroyed: 0, busy: 1 });
  for (const outcome of await waiting)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'POOL_CLOSED' } });
  await pool.release(lease.id);
});

test('a slot in quarantine is not handed out and does not count, and draining keeps its work', async () => {
  const { acquire, pool, remains } = await makePool({ settings: { size: 1 } });
  const lease = await acquire();
  writeFiles(lease.path, { 'new.txt': 'precious\n' });
  writeFiles(join(lease.path, '..'), { index: 'rubbish' });
  expect(await pool.release(lease.id)).toMatchObject({
    status: 'quarantined',
    reason: 'the file is not an index',
  });
  expect(await pool.stats()).toMatchObject({ quarantined: 1, free: 0 });
  const other = await acquire();
  expect(other.slotId).not.toBe(lease.slotId);
  await pool.release(other.id);
  expect(await pool.drain()).toEqual({ destroyed: 2, busy: 0 });
  const kept = (await remains()).filter(({ holds }) => holds === 'work');
  const places = kept
    .map(({ directory }) => join(directory, 'tree/new.txt'))
    .filter(file => existsSync(file));
  expect(places.map(file => readFileSync(file, 'utf8'))).toEqual(['precious\n']);
  expect(kept.every(({ directory }) => lstatSync(directory).isDirectory())).toBe(true);
});

thoroughTest('a slot with running processes is not drained', async () => {
  const { acquire, pool } = await makePool();
  const lease = await acquire();
  await pool.release(lease.id);
  // New ones come while the others take their time to end.
  const slow = 'trap "sleep 0.4; exit" TERM; for _ in 1 2 3 4 5 6 7 8 9; do sleep 0.2; done';
  const script = `while :; do (cd "$0" 2>/dev/null && exec sh -c '${slow}') & sleep 0.1; done`;
  const restless = spawn('sh', ['-c', script, lease.path], { cwd: '/', stdio: 'ignore' });
  try {
    await once(restless, 'spawn');
    while ((await findProcessesInside(lease.path)).length === 0);
    expect(await pool.drain()).toEqual({ destroyed: 0, busy: 1 });
    expect(await pool.stats()).toMatchObject({ quarantined: 1 });
    expect(existsSync(lease.path)).toBe(true);
  } finally {
    restless.kill('SIGKILL');
    await once(restless, 'exit');
  }
  expect(await pool.drain()).toEqual({ destroyed: 1, busy: 0 });
});

test('no slots are created once as many are quarantined as the pool may have', async () => {
  const { acquire, pool } = await makePool({ settings: { size: 1 } });
  for (let spoilt = 0; spoilt < 2; spoilt++) {
    const lease = await acquire();
    writeFiles(join(lease.path, '..'), { index: 'rubbish' });
    expect(await pool.release(lease.id)).toMatchObject({ status: 'quarantined' });
  }
  await expect(acquire()).rejects.toMatchObject({
    code: 'POOL_UNSUPPORTED',
    details: {
      reason: '2 of its slots are in quarantine; to save their work and remove them, run: carrel pool drain',
    },
  });
});

test('a warm slot has the line endings of the commit that it is brought to', async () => {
  const { acquire, pool, repository, head } = await makePool();
  const next = commitFiles(repository, { '.gitattributes': '*.txt text eol=crlf\n' });
  const read = ({ path }: { path: string }) => readFileSync(join(path, 'source/one.txt'), 'utf8');
  await pool.release((await acquire(head)).id);
  const there = await acquire(next);
  expect(there).toMatchObject({ isWarm: true });
  expect(read(there)).toBe('one\r\n');
  expect(git(there.path, 'status', '--porcelain')).toBe('');
  expect(await pool.release(there.id)).toMatchObject({ status: 'free', snapshotId: null });
  expect(read(await acquire(head))).toBe('one\n');
});

test('slots that were made under another configuration are not handed out, adopted or counted', async () => {
  const { acquire, pool, repository, head, store } = await makePool({ settings: { size: 2 } });
  const former = await acquire();
  await pool.release(former.id);
  git(repository, 'config', 'core.autocrlf', 'true');
  expect(await pool.adopt(head)).toBeUndefined();
  const lease = await acquire();
  expect(lease).toMatchObject({ isWarm: false });
  expect(readFileSync(join(lease.path, 'source/one.txt'), 'utf8')).toBe('one\r\n');
  await pool.release(lease.id);
  git(repository, 'config', '--unset', 'core.autocrlf');
  expect(await pool.warmup(2, head)).toBe(2);
  const { slots } = await store.slots.list();
  expect(slots).toHaveLength(2);
  for (const { directory } of slots)
    expect(readFileSync(join(directory, 'tree/source/one.txt'), 'utf8')).toBe('one\n');
});
