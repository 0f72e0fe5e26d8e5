import { describe, expect, test } from 'vitest';
import type { Lock } from '../store.js';
import { moment, type OpenStore, otherProcess, someProcess } from './sample-records.js';

const lock: Lock = { name: 'repository:1', token: 'token-1', owner: someProcess, acquiredAt: moment(1) };
const next: Lock = { ...lock, token: 'token-2', owner: otherProcess, acquiredAt: moment(2) };

export function describeLocks(open: OpenStore): void {
  describe('locks', () => {
    test('a lock is taken once and names its holder', async () => {
      const { store, other } = await open();
      expect(await store.locks.find(lock.name)).toBeUndefined();
      expect(await store.locks.acquire(lock)).toBe(true);
      expect(await other.locks.acquire(next)).toBe(false);
      expect(await store.locks.acquire(lock)).toBe(false);
      expect(await other.locks.find(lock.name)).toEqual(lock);
      expect(await store.locks.acquire({ ...next, name: 'repository:2' })).toBe(true);
    });

    test('it is released only with the token that holds it', async () => {
      const { store } = await open();
      await store.locks.acquire(lock);
      await store.locks.release(lock.name, 'token-0');
      expect(await store.locks.find(lock.name)).toEqual(lock);
      await store.locks.release(lock.name, lock.token);
      await store.locks.release(lock.name, lock.token);
      expect(await store.locks.find(lock.name)).toBeUndefined();
    });

    test('it is taken over only from the expected token', async () => {
      const { store } = await open();
      await store.locks.acquire(lock);
      expect(await store.locks.acquire(next, 'token-0')).toBe(false);
      expect(await store.locks.find(lock.name)).toEqual(lock);
      expect(await store.locks.acquire(next, lock.token)).toBe(true);
      expect(await store.locks.find(lock.name)).toEqual(next);
      await store.locks.release(lock.name, lock.token);
      expect(await store.locks.find(lock.name)).toEqual(next);
    });

    test('a lock that was released in the meantime is acquired', async () => {
      const { store } = await open();
      expect(await store.locks.acquire(next, lock.token)).toBe(true);
      expect(await store.locks.find(lock.name)).toEqual(next);
    });

    test('of many that take over from the same holder, one wins', async () => {
      const { store, other } = await open();
      await store.locks.acquire(lock);
      const take = (i: number) =>
        (i % 2 ? store : other).locks.acquire({ ...next, token: `racer-${i}` }, lock.token);
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => take(i)));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await store.locks.find(lock.name))?.token).toBe(`racer-${results.indexOf(true)}`);
    });
  });
}
