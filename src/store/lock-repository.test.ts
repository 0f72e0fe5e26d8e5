import { expect, onTestFinished, test, vi } from 'vitest';
import { LONGEST_SILENCE_MS } from '../domain/process-identity.js';
import { otherProcess, someProcess } from './contract/sample-records.js';
import { type RepositoryLockOptions, withRepositoryLock } from './lock-repository.js';
import { openMemoryStore } from './sqlite/open-memory-store.js';

const NAME = 'repository:repository-1';

test('the lock is held during the action and released after it', async () => {
  const options = await makeOptions();
  const { locks } = options.store;
  const held = await withRepositoryLock(options, () => locks.find(NAME));
  expect(held).toMatchObject({ name: NAME, owner: someProcess });
  expect(await locks.find(NAME)).toBeUndefined();
});

test('it is released when the action throws, and the error is thrown', async () => {
  const options = await makeOptions();
  const failure = new Error('the action failed');
  const fail = withRepositoryLock(options, async () => {
    throw failure;
  });
  await expect(fail).rejects.toBe(failure);
  const failAtOnce = withRepositoryLock(options, () => {
    throw failure;
  });
  await expect(failAtOnce).rejects.toBe(failure);
  expect(await options.store.locks.find(NAME)).toBeUndefined();
});

test('the error of the action is thrown even when the lock cannot be released', async () => {
  const options = await makeOptions();
  const failure = new Error('the action failed');
  const release = async () => {
    throw new Error('the database is gone');
  };
  const store = { locks: { ...options.store.locks, release } };
  const fail = withRepositoryLock({ ...options, store }, async () => {
    throw failure;
  });
  await expect(fail).rejects.toBe(failure);
  await options.store.locks.release(NAME, 'token-1');
  await expect(withRepositoryLock({ ...options, store }, async () => 1)).rejects.toThrow(
    'the database is gone',
  );
});

test('the process that held an unreleased lock does not wait for it', async () => {
  const options = await makeOptions();
  let isFull = true;
  const release: typeof options.store.locks.release = async (name, token) => {
    if (isFull) throw new Error('the disk is full');
    return options.store.locks.release(name, token);
  };
  const store = { locks: { ...options.store.locks, release } };
  await expect(withRepositoryLock({ ...options, store }, async () => 1)).rejects.toThrow('the disk is full');
  isFull = false;
  await expect(withRepositoryLock({ ...options, store, timeoutMs: 500 }, async () => 2)).resolves.toBe(2);
  expect(await options.store.locks.find(NAME)).toBeUndefined();
});

test('actions for one repository run one after the other, those for two at once', async () => {
  const options = await makeOptions();
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await options.store.ports.list();
    inside--;
  };
  await Promise.all(Array.from({ length: 10 }, () => withRepositoryLock(options, work)));
  expect(most).toBe(1);
  const nested = withRepositoryLock(options, () =>
    withRepositoryLock({ ...options, repositoryId: 'repository-2' }, async () => 'both'),
  );
  expect(await nested).toBe('both');
});

test('waiting for a living holder ends with an error that names it', async () => {
  const options = await makeOptions();
  await options.store.locks.acquire(heldBy('stranger'));
  const asked = withRepositoryLock(
    { ...options, timeoutMs: 60, isAlive: () => 'alive' },
    async () => 'never',
  );
  await expect(asked).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
    message: expect.stringMatching(/^process 200 has held the lock of api for over \d+ ms$/),
  });
  expect((await options.store.locks.find(NAME))?.token).toBe('stranger');
});

test('waiting continues until the holder releases it', async () => {
  const options = await makeOptions();
  const { locks } = options.store;
  await locks.acquire(heldBy('stranger'));
  let looks = 0;
  const isAlive = () => {
    if (++looks === 3) void locks.release(NAME, 'stranger');
    return 'alive' as const;
  };
  expect(await withRepositoryLock({ ...options, isAlive }, async () => looks)).toBeGreaterThanOrEqual(3);
});

test('the lock of a dead process is taken over at once, by only one process', async () => {
  const options = await makeOptions();
  await options.store.locks.acquire(heldBy('the-dead'));
  const isAlive: RepositoryLockOptions['isAlive'] = identity =>
    identity.pid === otherProcess.pid ? 'dead' : 'alive';
  let inside = 0;
  const work = async () => {
    expect(++inside).toBe(1);
    await options.store.ports.list();
    inside--;
  };
  await Promise.all(Array.from({ length: 5 }, () => withRepositoryLock({ ...options, isAlive }, work)));
});

test('the lock of a process that cannot be looked up is kept until its heartbeat is too old', async () => {
  const options = await makeOptions();
  const heldSince = Date.UTC(2026, 0, 1);
  await options.store.locks.acquire(heldBy('far-away', heldSince));
  const ask = (now: number) =>
    withRepositoryLock(
      { ...options, isAlive: () => 'unknown', now: () => now, timeoutMs: 0 },
      async () => 'mine',
    );
  await expect(ask(heldSince + LONGEST_SILENCE_MS - 1)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  expect(await ask(heldSince + LONGEST_SILENCE_MS)).toBe('mine');
});

test('a holder renews its lock every twenty seconds until it is done', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let now = Date.UTC(2026, 0, 1);
  const options = { ...(await makeOptions()), now: () => now };
  const acquiredAt = async () => Date.parse((await options.store.locks.find(NAME))?.acquiredAt ?? '');
  await withRepositoryLock(options, async () => {
    now += 20_000;
    vi.advanceTimersByTime(20_000);
    await expect.poll(acquiredAt).toBe(now);
    // One more is under way when the action ends; it may not bring the lock back.
    vi.advanceTimersByTime(20_000);
  });
  expect(vi.getTimerCount()).toBe(0);
  expect(await options.store.locks.find(NAME)).toBeUndefined();
});

test('waiting can be cancelled, and what was cancelled never runs', async () => {
  const options = await makeOptions();
  await options.store.locks.acquire(heldBy('stranger'));
  const reason = new Error('not needed any more');
  const waiting = new AbortController();
  const isAlive = () => {
    waiting.abort(reason);
    return 'alive' as const;
  };
  let ran = false;
  const action = async () => {
    ran = true;
  };
  await expect(withRepositoryLock({ ...options, isAlive, signal: waiting.signal }, action)).rejects.toBe(
    reason,
  );
  const signal = AbortSignal.abort(reason);
  await expect(withRepositoryLock({ ...options, repositoryId: 'free', signal }, action)).rejects.toBe(reason);
  expect(ran).toBe(false);
});

async function makeOptions(): Promise<
  RepositoryLockOptions & { store: Awaited<ReturnType<typeof openMemoryStore>> }
> {
  const store = await openMemoryStore({ now: Date.now });
  onTestFinished(() => store.close());
  let count = 0;
  return {
    store,
    repositoryId: 'repository-1',
    repositoryName: 'api',
    owner: someProcess,
    isAlive: () => 'alive',
    createToken: () => `token-${++count}`,
    now: Date.now,
  };
}

function heldBy(token: string, since = Date.now()) {
  return { name: NAME, token, owner: otherProcess, acquiredAt: new Date(since).toISOString() };
}
