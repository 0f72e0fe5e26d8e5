import { createStore } from '../create-store.js';
import { openDatabase } from '../sqlite/open-database.js';
import { openSession } from '../sqlite/sqlite-session.js';
import type { Store } from '../store.js';

export interface MemoryStoreOptions {
  readonly now: () => number;
}

/** A store of this process alone, gone when it is closed. Nobody else can keep it busy. */
export async function openMemoryStore({ now }: MemoryStoreOptions): Promise<Store> {
  return createStore(
    await openSession(openDatabase(':memory:'), { location: ':memory:', now, busyTimeoutMs: 0 }),
  );
}
