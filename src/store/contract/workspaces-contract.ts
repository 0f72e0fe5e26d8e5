import { describe, expect, test } from 'vitest';
import type { Lease } from '../../domain/workspace/workspace.js';
import {
  allEvents,
  eventTypes,
  moment,
  type OpenStore,
  sampleEvent,
  sampleWorkspace,
  someProcess,
} from './sample-records.js';

const created = [sampleEvent('workspace.creating')];
const ready = [sampleEvent('workspace.ready')];
const lease: Lease = { id: 'lease_1', holder: 'an agent', since: moment(3) };

export function describeWorkspaces(open: OpenStore): void {
  describe('workspaces', () => {
    test('a record is returned as it was stored, even through another connection', async () => {
      const { store, other } = await open();
      const record = sampleWorkspace({ lease });
      await store.workspaces.insert(record, created);
      expect(await store.workspaces.find(record.id)).toEqual(record);
      expect(await other.workspaces.find(record.id)).toEqual(record);
      expect(await store.workspaces.find('ws_none')).toBeUndefined();
    });

    test('a record without a lease has no lease field', async () => {
      const { store } = await open();
      await store.workspaces.insert(sampleWorkspace(), []);
      expect(await store.workspaces.find(sampleWorkspace().id)).not.toHaveProperty('lease');
    });

    test('a name is taken once per repository, and the error names the one that has it', async () => {
      const { store } = await open();
      await store.workspaces.insert(sampleWorkspace(), created);
      const twin = sampleWorkspace({ id: 'ws_2' });
      await expect(store.workspaces.insert(twin, created)).rejects.toMatchObject({
        code: 'WORKSPACE_EXISTS',
        details: { name: 'desk', path: sampleWorkspace().path },
      });
      await store.workspaces.insert({ ...twin, repositoryId: 'repository-2' }, created);
      expect(await eventTypes(store)).toEqual(['workspace.creating', 'workspace.creating']);
    });

    test('a path is taken once, in upper or lower case, except by direct workspaces', async () => {
      const { store } = await open();
      await store.workspaces.insert(sampleWorkspace({ path: '/shared' }), []);
      const second = sampleWorkspace({ id: 'ws_2', name: 'second', path: '/shared' });
      for (const twin of [second, { ...second, path: '/Shared' }]) {
        const insertion = store.workspaces.insert(twin, created);
        await expect(insertion).rejects.toMatchObject({ code: 'WORKSPACE_EXISTS' });
      }
      await store.workspaces.insert({ ...second, backend: 'direct' }, []);
      await store.workspaces.insert({ ...second, id: 'ws_3', name: 'third', backend: 'direct' }, []);
      expect(await allEvents(store)).toEqual([]);
      expect((await store.workspaces.list()).map(record => record.name)).toEqual(['desk', 'second', 'third']);
    });

    test('they are listed oldest first, all or those of one repository', async () => {
      const { store } = await open();
      const make = (id: string, second: number, repositoryId: string) =>
        store.workspaces.insert(
          sampleWorkspace({ id, name: id, repositoryId, createdAt: moment(second) }),
          [],
        );
      await make('ws_b', 3, 'repository-1');
      await make('ws_c', 2, 'repository-2');
      await make('ws_a', 3, 'repository-1');
      const ids = async (filter?: { repositoryId?: string }) =>
        (await store.workspaces.list(filter)).map(record => record.id);
      expect(await ids()).toEqual(['ws_c', 'ws_a', 'ws_b']);
      expect(await ids({ repositoryId: 'repository-1' })).toEqual(['ws_a', 'ws_b']);
      expect(await ids({ repositoryId: 'repository-3' })).toEqual([]);
    });

    test('an update returns the new record and keeps the other fields', async () => {
      const { store } = await open();
      const record = sampleWorkspace();
      await store.workspaces.insert(record, []);
      const patch = { status: 'ready', branch: null, warnings: [], path: '/elsewhere' } as const;
      const updated = await store.workspaces.update(record.id, 'creating', { ...patch, warnings: [] }, ready);
      expect(updated).toEqual({ ...record, ...patch });
      expect(await store.workspaces.find(record.id)).toEqual(updated);
      expect(await eventTypes(store)).toEqual(['workspace.ready']);
    });

    test('an update with another status, or of a missing record, changes nothing and writes no event', async () => {
      const { store } = await open();
      const record = sampleWorkspace();
      await store.workspaces.insert(record, []);
      expect(
        await store.workspaces.update(record.id, 'ready', { status: 'removing' }, ready),
      ).toBeUndefined();
      expect(
        await store.workspaces.update('ws_none', 'creating', { status: 'ready' }, ready),
      ).toBeUndefined();
      expect(await store.workspaces.find(record.id)).toEqual(record);
      expect(await allEvents(store)).toEqual([]);
    });

    test("an update can't take a name or path of another workspace", async () => {
      const { store } = await open();
      await store.workspaces.insert(sampleWorkspace(), []);
      await store.workspaces.insert(sampleWorkspace({ id: 'ws_2', name: 'second' }), []);
      for (const patch of [{ name: 'desk' }, { path: sampleWorkspace().path }]) {
        const update = store.workspaces.update('ws_2', 'creating', patch, ready);
        await expect(update).rejects.toMatchObject({ code: 'WORKSPACE_EXISTS' });
      }
      expect(await store.workspaces.find('ws_2')).toEqual(sampleWorkspace({ id: 'ws_2', name: 'second' }));
      expect(await allEvents(store)).toEqual([]);
    });

    test('of many that move a workspace out of one status, one wins', async () => {
      const { store, other } = await open();
      await store.workspaces.insert(sampleWorkspace({ status: 'ready' }), []);
      const removing = [sampleEvent('workspace.removing')];
      const racers = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other));
      const results = await Promise.all(
        racers.map(racer =>
          racer.workspaces.update(sampleWorkspace().id, 'ready', { status: 'removing' }, removing),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await eventTypes(store)).toEqual(['workspace.removing']);
    });

    test('a lease is set and cleared only by a caller that knows the current one', async () => {
      const { store } = await open();
      const { id } = sampleWorkspace();
      await store.workspaces.insert(sampleWorkspace(), []);
      const leased = [sampleEvent('workspace.leased')];
      const returned = [sampleEvent('workspace.lease-returned')];
      expect(await store.workspaces.setLease(id, 'lease_0', lease, leased)).toBe(false);
      expect(await store.workspaces.setLease(id, null, lease, leased)).toBe(true);
      expect(await store.workspaces.find(id)).toEqual({ ...sampleWorkspace(), lease });
      expect(await store.workspaces.setLease(id, null, { ...lease, id: 'lease_2' }, leased)).toBe(false);
      expect(await store.workspaces.setLease(id, 'lease_0', undefined, returned)).toBe(false);
      expect(await store.workspaces.setLease(id, 'lease_1', undefined, returned)).toBe(true);
      expect(await store.workspaces.setLease('ws_none', null, lease, leased)).toBe(false);
      expect(await store.workspaces.find(id)).toEqual(sampleWorkspace());
      expect(await eventTypes(store)).toEqual(['workspace.leased', 'workspace.lease-returned']);
    });

    test('of many that lease a free workspace, one wins', async () => {
      const { store, other } = await open();
      await store.workspaces.insert(sampleWorkspace(), []);
      const take = (i: number) =>
        (i % 2 ? store : other).workspaces.setLease(
          sampleWorkspace().id,
          null,
          { ...lease, id: `lease_${i}` },
          [],
        );
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => take(i)));
      const winner = results.indexOf(true);
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await store.workspaces.find(sampleWorkspace().id))?.lease?.id).toBe(`lease_${winner}`);
    });

    test('the last activity moves forward, never back, and is no event', async () => {
      const { store } = await open();
      const record = sampleWorkspace({ lastActivityAt: moment(5) });
      await store.workspaces.insert(record, []);
      await store.workspaces.touch(record.id, moment(9));
      await store.workspaces.touch(record.id, moment(7));
      await store.workspaces.touch('ws_none', moment(9));
      expect(await store.workspaces.find(record.id)).toEqual({ ...record, lastActivityAt: moment(9) });
      expect(await allEvents(store)).toEqual([]);
    });

    test('removing also removes the ports and running commands, and is reported once', async () => {
      const { store } = await open();
      const { id } = sampleWorkspace();
      const removed = [sampleEvent('workspace.removed')];
      await store.workspaces.insert(sampleWorkspace(), []);
      await store.ports.claim(4000, id);
      await store.ports.claim(4010, 'ws_2');
      const command = { workspaceId: id, process: someProcess, command: 'npm test', startedAt: moment(2) };
      await store.commands.insert({ ...command, id: 'command_1' });
      expect(await store.workspaces.remove(id, removed)).toBe(true);
      expect(await store.workspaces.remove(id, removed)).toBe(false);
      expect(await store.workspaces.find(id)).toBeUndefined();
      expect(await store.ports.list()).toEqual([4010]);
      expect(await store.commands.list(id)).toEqual([]);
      expect(await eventTypes(store)).toEqual(['workspace.removed']);
      await store.workspaces.insert(sampleWorkspace({ id: 'ws_again' }), []);
    });
  });
}
