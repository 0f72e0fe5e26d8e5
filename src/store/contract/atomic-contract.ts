import { describe, expect, test } from 'vitest';
import { type OpenStore, sampleEntry, sampleWorkspace } from './sample-records.js';

export function describeAtomicChanges(open: OpenStore): void {
  describe('several changes in one transaction', () => {
    test('all of them happen, and each sees those before it', async () => {
      const { store, other } = await open();
      const seen = await store.atomically(async tables => {
        await tables.journal.begin(sampleEntry());
        await tables.workspaces.insert(sampleWorkspace(), []);
        return tables.workspaces.list();
      });
      expect(seen).toEqual([sampleWorkspace()]);
      expect(await other.journal.list()).toEqual([sampleEntry()]);
      expect(await other.workspaces.list()).toEqual([sampleWorkspace()]);
    });

    test('none of them happens when one fails', async () => {
      const { store, other } = await open();
      await store.workspaces.insert(sampleWorkspace(), []);
      const changes = store.atomically(async tables => {
        await tables.journal.begin(sampleEntry());
        await tables.ports.claim(20_000, 'ws_2');
        await tables.workspaces.insert(sampleWorkspace({ id: 'ws_2' }), []);
      });
      await expect(changes).rejects.toMatchObject({ code: 'WORKSPACE_EXISTS' });
      expect(await other.journal.list()).toEqual([]);
      expect(await other.ports.list()).toEqual([]);
    });

    test('concurrent ones wait for each other', async () => {
      const { store, other } = await open();
      const claim = (from: typeof store) =>
        from.atomically(async ({ ports }) => {
          const first = 20_000 + 10 * (await ports.list()).length;
          return (await ports.claim(first, `ws_${first}`)) && first;
        });
      const claimed = await Promise.all([claim(store), claim(other), claim(store), claim(other)]);
      expect(claimed.toSorted()).toEqual([20_000, 20_010, 20_020, 20_030]);
    });
  });
}
