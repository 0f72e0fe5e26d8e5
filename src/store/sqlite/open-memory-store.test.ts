import { expect, test } from 'vitest';
import { allEvents, sampleEvent } from '../contract/sample-records.js';
import { storeContract } from '../store-contract.js';
import { openMemoryStore } from './open-memory-store.js';

storeContract('the in-memory store', async () => {
  const store = await openMemoryStore({ now: Date.now });
  return { store, other: store, close: () => store.close() };
});

test('two in-memory stores are separate', async () => {
  const [one, two] = await Promise.all([
    openMemoryStore({ now: Date.now }),
    openMemoryStore({ now: Date.now }),
  ]);
  await one.ports.claim(4000, 'ws_1');
  expect(await two.ports.list()).toEqual([]);
  await Promise.all([one.close(), two.close()]);
});

test('events have the time of the given clock', async () => {
  const store = await openMemoryStore({ now: () => Date.UTC(2030, 4, 6, 7, 8, 9, 10) });
  await store.events.append([sampleEvent('recovery.done')]);
  expect((await allEvents(store))[0]?.at).toBe('2030-05-06T07:08:09.010Z');
  await store.close();
});
