import { describe, expect, test } from 'vitest';
import { moment, type OpenStore, otherProcess, sampleRemains, someProcess } from './sample.js';

export function describeRemains(open: OpenStore): void {
  describe('remains', () => {
    test('they come back as they went in', async () => {
      const { store, other } = await open();
      const remains = sampleRemains({ lower: '/cache/lower', commonDir: null, branch: 'naïve' });
      await store.remains.insert(remains);
      expect(await other.remains.find(remains.id)).toEqual(remains);
      expect(await store.remains.find('snap_none')).toBeUndefined();
    });

    test('they are listed oldest first, by repository', async () => {
      const { store } = await open();
      await store.remains.insert(sampleRemains({ id: 'snap_2', createdAt: moment(2) }));
      await store.remains.insert(sampleRemains({ id: 'snap_1', createdAt: moment(1) }));
      await store.remains.insert(sampleRemains({ id: 'snap_3', repositoryId: 'repository-2' }));
      const ids = async (repositoryId?: string) =>
        (await store.remains.list(repositoryId)).map(({ id }) => id);
      expect(await ids('repository-1')).toEqual(['snap_1', 'snap_2']);
      expect((await ids()).sort()).toEqual(['snap_1', 'snap_2', 'snap_3']);
    });

    test('of many who want to settle them one is given them', async () => {
      const { store, other } = await open();
      const { id } = sampleRemains();
      await store.remains.insert(sampleRemains());
      const heirs = Array.from({ length: 10 }, (_, i) => ({ ...otherProcess, pid: 300 + i }));
      const results = await Promise.all(
        heirs.map((heir, i) => (i % 2 ? store : other).remains.adopt(id, someProcess, heir)),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await store.remains.find(id))?.owner).toEqual(heirs[results.indexOf(true)]);
      expect(await store.remains.adopt(id, someProcess, otherProcess)).toBe(false);
    });

    test('an update changes the fields it names and never the owner', async () => {
      const { store } = await open();
      const { id } = sampleRemains();
      await store.remains.insert(sampleRemains());
      await store.remains.update(id, { holds: 'rubbish', isPartial: false });
      expect(await store.remains.find(id)).toEqual(sampleRemains({ holds: 'rubbish', isPartial: false }));
      await store.remains.update('snap_none', { holds: 'rubbish' });
      expect(await store.remains.list()).toHaveLength(1);
    });

    test('removing what is not there is fine', async () => {
      const { store } = await open();
      await store.remains.insert(sampleRemains());
      await store.remains.remove(sampleRemains().id);
      await store.remains.remove(sampleRemains().id);
      expect(await store.remains.list()).toEqual([]);
    });

    test('an id is used once', async () => {
      const { store } = await open();
      await store.remains.insert(sampleRemains());
      await expect(store.remains.insert(sampleRemains({ holds: 'nothing' }))).rejects.toThrow();
      expect(await store.remains.list()).toEqual([sampleRemains()]);
    });
  });
}
