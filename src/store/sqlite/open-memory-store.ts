import { createStore } from '../create-store.js';
import type { Store } from '../store.js';
import { openDatabase } from './open-database.js';
import { openSession } from './sqlite-session.js';

export interface MemoryStoreOptions {
  readonly now: () => number;
}

/** A store only for this process, gone when it is closed. No other process can keep it busy. */
export async function openMemoryStore({ now }: MemoryStoreOptions): Promise<Store> {
  return createStore(
    await openSession(openDatabase(':memory:'), { location: ':memory:', now, busyTimeoutMs: 0 }),
  );
}
