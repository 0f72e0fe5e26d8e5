import { describe, expect, test } from 'vitest';
import {
  allEvents,
  eventTypes,
  moment,
  type OpenStore,
  sampleEvent,
  sampleSnapshot,
} from './sample-records.js';

const taking = [sampleEvent('snapshot.taking')];

export function describeSnapshots(open: OpenStore): void {
  describe('snapshots', () => {
    test('a snapshot is returned as it was stored, with its event', async () => {
      const { store, other } = await open();
      await store.snapshots.insert(sampleSnapshot(), taking);
      expect(await other.snapshots.find(sampleSnapshot().id)).toEqual(sampleSnapshot());
      expect(await store.snapshots.find('snap_none')).toBeUndefined();
      expect(await eventTypes(store)).toEqual(['snapshot.taking']);
    });

    test('they are listed newest first, by repository, workspace name and workspace', async () => {
      const { store } = await open();
      const make = (id: string, second: number, change: object) =>
        store.snapshots.insert(sampleSnapshot({ id, createdAt: moment(second), ...change }), []);
      await make('snap_1', 1, { workspaceId: 'ws_1', workspaceName: 'a' });
      await make('snap_3', 3, { workspaceId: 'ws_2', workspaceName: 'a' });
      await make('snap_2', 2, { workspaceId: 'ws_3', workspaceName: 'b' });
      await make('snap_4', 3, { workspaceId: 'ws_4', workspaceName: 'a', repositoryId: 'repository-2' });
      const ids = async (filter?: Parameters<typeof store.snapshots.list>[0]) =>
        (await store.snapshots.list(filter)).map(snapshot => snapshot.id);
      expect(await ids()).toEqual(['snap_4', 'snap_3', 'snap_2', 'snap_1']);
      expect(await ids({ repositoryId: 'repository-1' })).toEqual(['snap_3', 'snap_2', 'snap_1']);
      expect(await ids({ repositoryId: 'repository-1', workspaceName: 'a' })).toEqual(['snap_3', 'snap_1']);
      expect(await ids({ workspaceId: 'ws_3' })).toEqual(['snap_2']);
      expect(await ids({ workspaceName: 'none' })).toEqual([]);
    });

    test('an update changes the fields it names', async () => {
      const { store } = await open();
      await store.snapshots.insert(sampleSnapshot(), []);
      const patch = { commit: 'c'.repeat(40), files: 7 };
      await store.snapshots.update(sampleSnapshot().id, patch, [sampleEvent('snapshot.taken')]);
      expect(await store.snapshots.find(sampleSnapshot().id)).toEqual(sampleSnapshot(patch));
      expect(await eventTypes(store)).toEqual(['snapshot.taken']);
    });

    test('an update of a missing snapshot is refused and writes no event', async () => {
      const { store } = await open();
      await store.snapshots.insert(sampleSnapshot(), []);
      const update = store.snapshots.update('snap_none', { files: 1 }, [sampleEvent('snapshot.taken')]);
      await expect(update).rejects.toMatchObject({
        code: 'SNAPSHOT_NOT_FOUND',
        details: { name: 'snap_none', known: [sampleSnapshot().id] },
      });
      expect(await allEvents(store)).toEqual([]);
    });

    test('removing is reported once', async () => {
      const { store } = await open();
      const expired = [sampleEvent('snapshot.expired')];
      await store.snapshots.insert(sampleSnapshot(), []);
      await store.snapshots.remove(sampleSnapshot().id, expired);
      await store.snapshots.remove(sampleSnapshot().id, expired);
      expect(await store.snapshots.list()).toEqual([]);
      expect(await eventTypes(store)).toEqual(['snapshot.expired']);
    });

    test('an id is used once: a second insert fails and leaves no event', async () => {
      const { store } = await open();
      await store.snapshots.insert(sampleSnapshot(), []);
      await expect(store.snapshots.insert(sampleSnapshot({ files: 9 }), taking)).rejects.toThrow();
      expect(await store.snapshots.list()).toEqual([sampleSnapshot()]);
      expect(await allEvents(store)).toEqual([]);
    });
  });
}
