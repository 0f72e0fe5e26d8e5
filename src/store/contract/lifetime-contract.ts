import { describe, expect, test } from 'vitest';
import { type OpenStore, sampleEvent, sampleWorkspace } from './sample-records.js';

export function describeLifetime(open: OpenStore): void {
  describe('closing', () => {
    test('a store has the location of its data', async () => {
      const { store } = await open();
      expect(store.location).not.toBe('');
    });

    test('closing twice, also at the same time, does no harm', async () => {
      const { store } = await open();
      await Promise.all([store.close(), store.close()]);
      await store.close();
    });

    test('use after closing is a clear error', async () => {
      const { store } = await open();
      await store.close();
      const uses = [() => store.workspaces.list(), () => store.events.append([sampleEvent('recovery.done')])];
      for (const use of uses) {
        await expect(use()).rejects.toMatchObject({
          code: 'INTERNAL',
          details: { problem: 'the store was used after it was closed' },
        });
      }
    });

    test('closing waits for running calls', async () => {
      const { store } = await open();
      const insert = store.workspaces.insert(sampleWorkspace(), []);
      const list = store.workspaces.list();
      await store.close();
      await insert;
      expect(await list).toEqual([sampleWorkspace()]);
    });
  });
}
