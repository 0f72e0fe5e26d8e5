import { describe, expect, test } from 'vitest';
import { moment, type OpenStore, otherProcess, sampleRemains, someProcess } from './sample-records.js';

export function describeRemains(open: OpenStore): void {
  describe('remains', () => {
    test('they are returned as they were stored', async () => {
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

    test('of many processes that claim them, one gets them', async () => {
      const { store, other } = await open();
      const seen = sampleRemains();
      await store.remains.insert(seen);
      const heirs = Array.from({ length: 10 }, (_, i) => ({ ...otherProcess, pid: 300 + i }));
      const results = await Promise.all(
        heirs.map((heir, i) => (i % 2 ? store : other).remains.adopt(seen, heir)),
      );
      const [given] = results.filter(Boolean);
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(given).toEqual({ ...seen, owner: heirs[results.indexOf(given)] });
      expect(await store.remains.find(seen.id)).toEqual(given);
      expect(await store.remains.adopt(seen, otherProcess)).toBeUndefined();
    });

    test('the process that gets them sees their current state', async () => {
      const { store } = await open();
      const seen = sampleRemains();
      await store.remains.insert(seen);
      await store.remains.update(seen, { holds: 'rubbish' });
      expect(await store.remains.adopt(seen, otherProcess)).toMatchObject({ holds: 'rubbish' });
    });

    test('after a failure one process gets them, even the same one, and the failure is cleared', async () => {
      const { store, other } = await open();
      await store.remains.insert(sampleRemains());
      expect(await store.remains.update(sampleRemains(), { failure: 'no space' })).toBe(true);
      const failed = sampleRemains({ failure: 'no space' });
      expect(await store.remains.list()).toEqual([failed]);
      expect(await store.remains.adopt(sampleRemains(), otherProcess)).toBeUndefined();
      const results = await Promise.all([
        store.remains.adopt(failed, someProcess),
        other.remains.adopt(failed, someProcess),
        store.remains.adopt(failed, someProcess),
      ]);
      expect(results.filter(Boolean)).toEqual([sampleRemains()]);
      expect(await store.remains.list()).toEqual([sampleRemains()]);
    });

    test('an update changes the fields it names, for their owner alone', async () => {
      const { store } = await open();
      const mine = sampleRemains();
      await store.remains.insert(mine);
      expect(await store.remains.update(mine, { holds: 'rubbish', isPartial: false })).toBe(true);
      const changed = sampleRemains({ holds: 'rubbish', isPartial: false });
      expect(await store.remains.find(mine.id)).toEqual(changed);
      expect(await store.remains.update({ ...mine, owner: otherProcess }, { holds: 'work' })).toBe(false);
      expect(await store.remains.update({ ...mine, id: 'snap_none' }, { holds: 'work' })).toBe(false);
      expect(await store.remains.list()).toEqual([changed]);
    });

    test('an unreadable record is listed as damaged and hides no other', async () => {
      const { store } = await open();
      await store.remains.insert(sampleRemains({ id: 'snap_1', directory: 5 as never }));
      await store.remains.insert(sampleRemains({ id: 'snap_2' }));
      expect(await store.remains.list()).toEqual([sampleRemains({ id: 'snap_2' })]);
      expect(await store.remains.listDamaged()).toEqual(['snap_1']);
      await expect(store.remains.find('snap_1')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
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
