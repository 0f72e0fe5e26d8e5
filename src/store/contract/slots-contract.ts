import { describe, expect, test } from 'vitest';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { Store } from '../store.js';
import {
  allEvents,
  eventTypes,
  moment,
  type OpenStore,
  otherProcess,
  sampleEvent,
  sampleSlot,
  someProcess,
} from './sample-records.js';

const ENOUGH = 100;
const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

const insert = (store: Store, change: Partial<SlotRecord> = {}): Promise<boolean> =>
  store.slots.insert(sampleSlot(change), ENOUGH, []);

const leased = (id: string) => ({
  status: 'leased' as const,
  owner: someProcess,
  lease: { id, holder: 'a test', since: moment(2) },
  changedAt: moment(2),
});

export function describeSlots(open: OpenStore): void {
  describe('slots', () => {
    test('a slot is returned as it was stored, with its event', async () => {
      const { store, other } = await open();
      const slot = sampleSlot({ ...leased('lease_1'), reason: 'naïve "quotes"' });
      expect(await store.slots.insert(slot, ENOUGH, [sampleEvent('slot.created', null)])).toBe(true);
      expect(await other.slots.find(slot.id)).toEqual(slot);
      expect(await other.slots.findByLease('lease_1')).toEqual(slot);
      expect(await other.slots.findByLease('lease_2')).toBeUndefined();
      expect(await store.slots.find('slot_none')).toBeUndefined();
      expect(await eventTypes(store)).toEqual(['slot.created']);
    });

    test('they are listed oldest first, by repository', async () => {
      const { store } = await open();
      await insert(store, { id: 'slot_2', createdAt: moment(2) });
      await insert(store, { id: 'slot_1', createdAt: moment(1) });
      await insert(store, { id: 'slot_3', repositoryId: 'repository-2', createdAt: moment(3) });
      const ids = async (repositoryId?: string) =>
        (await store.slots.list(repositoryId)).slots.map(({ id }) => id);
      expect(await ids()).toEqual(['slot_1', 'slot_2', 'slot_3']);
      expect(await ids('repository-1')).toEqual(['slot_1', 'slot_2']);
    });

    test('the cap counts the slots of one repository, without those in quarantine', async () => {
      const { store } = await open();
      const add = (id: string, change: Partial<SlotRecord> = {}) =>
        store.slots.insert(sampleSlot({ id, ...change }), 2, [sampleEvent('slot.created', null)]);
      expect(await add('slot_1', { status: 'quarantined' })).toBe(true);
      expect(await add('slot_2')).toBe(true);
      expect(await add('slot_3', { status: 'creating' })).toBe(true);
      expect(await add('slot_4')).toBe(false);
      expect(await add('slot_5', { repositoryId: 'repository-2' })).toBe(true);
      expect(await allEvents(store)).toHaveLength(4);
    });

    test('of many inserts at once no more succeed than the cap allows', async () => {
      const { store, other } = await open();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).slots.insert(sampleSlot({ id: `slot_${i}` }), 3, []),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(3);
    });

    test('a free slot at the commit is claimed before others, the most recently used before older ones', async () => {
      const { store } = await open();
      await insert(store, { id: 'slot_1', commit: B, changedAt: moment(9) });
      await insert(store, { id: 'slot_2', commit: A, changedAt: moment(3) });
      await insert(store, { id: 'slot_3', commit: A, changedAt: moment(5) });
      await insert(store, { id: 'slot_4', commit: A, ...leased('lease_0') });
      await insert(store, { id: 'slot_5', commit: A, changedAt: moment(8), repositoryId: 'repository-2' });
      const claim = async (id: string) =>
        (await store.slots.claimFree('repository-1', { commit: A }, leased(id), []))?.id;
      expect(await claim('lease_1')).toBe('slot_3');
      expect(await claim('lease_2')).toBe('slot_2');
      expect(await claim('lease_3')).toBe('slot_1');
      expect(await claim('lease_4')).toBeUndefined();
    });

    test('a claim gives the slot with its lease, and an event that names it', async () => {
      const { store, other } = await open();
      await insert(store);
      const wanted = { commit: A, kind: 'checkout' } as const;
      const claimed = await store.slots.claimFree('repository-1', wanted, leased('lease_1'), [
        { type: 'slot.leased', repositoryId: 'repository-1', workspaceId: null, data: { holder: 'me' } },
      ]);
      expect(claimed).toEqual(sampleSlot(leased('lease_1')));
      expect(await other.slots.findByLease('lease_1')).toEqual(claimed);
      expect(await allEvents(store)).toMatchObject([{ data: { holder: 'me', slot: sampleSlot().id } }]);
    });

    test('only the requested kind is claimed', async () => {
      const { store } = await open();
      await insert(store, { kind: 'overlay' });
      const claim = (kind: SlotRecord['kind']) =>
        store.slots.claimFree('repository-1', { commit: A, kind }, leased('lease_1'), [
          sampleEvent('slot.leased', null),
        ]);
      expect(await claim('checkout')).toBeUndefined();
      expect(await allEvents(store)).toEqual([]);
      expect(await claim('overlay')).toMatchObject({ kind: 'overlay', status: 'leased' });
    });

    test('of many claims at once every slot goes to one', async () => {
      const { store, other } = await open();
      for (const id of ['slot_1', 'slot_2', 'slot_3']) await insert(store, { id });
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).slots.claimFree('repository-1', { commit: A }, leased(`lease_${i}`), []),
        ),
      );
      const claimed = claims.flatMap(slot => (slot ? [slot.id] : []));
      expect(claimed.sort()).toEqual(['slot_1', 'slot_2', 'slot_3']);
    });

    test('a change needs the slot to be as expected, in status, lease and owner', async () => {
      const { store } = await open();
      const { id } = sampleSlot();
      await insert(store, leased('lease_1'));
      const events = [sampleEvent('slot.released', null)];
      const patch = { status: 'resetting' } as const;
      const refused = [
        { status: 'free' },
        { status: 'leased', leaseId: 'lease_0' },
        { status: 'leased', leaseId: null },
        { status: 'leased', owner: otherProcess },
        { status: 'leased', owner: null },
      ] as const;
      for (const expected of refused) {
        expect(await store.slots.update(id, expected, patch, events)).toBeUndefined();
        expect(await store.slots.remove(id, expected, events)).toBe(false);
      }
      expect(await store.slots.update('slot_none', { status: 'leased' }, patch, events)).toBeUndefined();
      expect(await allEvents(store)).toEqual([]);
      const expected = { status: 'leased', leaseId: 'lease_1', owner: someProcess } as const;
      expect(await store.slots.update(id, expected, patch, events)).toEqual(
        sampleSlot({ ...leased('lease_1'), ...patch }),
      );
      expect(await eventTypes(store)).toEqual(['slot.released']);
    });

    test('of many changes from the same state one succeeds', async () => {
      const { store, other } = await open();
      await insert(store);
      const changes = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? store : other).slots.update(
            sampleSlot().id,
            { status: 'free', owner: null },
            { status: 'adopting', owner: someProcess },
            [],
          ),
        ),
      );
      expect(changes.filter(Boolean)).toHaveLength(1);
    });

    test('a released lease can no longer be found, and its slot can be leased again', async () => {
      const { store } = await open();
      const { id } = sampleSlot();
      await insert(store, leased('lease_1'));
      await store.slots.update(id, { status: 'leased' }, { status: 'free', lease: null, owner: null }, []);
      expect(await store.slots.findByLease('lease_1')).toBeUndefined();
      expect(await store.slots.find(id)).toMatchObject({ lease: null, owner: null });
    });

    test('removing is reported once', async () => {
      const { store } = await open();
      await insert(store);
      const destroyed = [sampleEvent('slot.destroyed', null)];
      expect(await store.slots.remove(sampleSlot().id, { status: 'free' }, destroyed)).toBe(true);
      expect(await store.slots.remove(sampleSlot().id, { status: 'free' }, destroyed)).toBe(false);
      expect(await store.slots.list()).toEqual({ slots: [], damaged: [] });
      expect(await eventTypes(store)).toEqual(['slot.destroyed']);
    });

    test('an invalid slot is reported as damaged, never claimed, and hides no other', async () => {
      const { store } = await open();
      await insert(store, { id: 'slot_1', kind: 'balloon' as SlotRecord['kind'], changedAt: moment(9) });
      await insert(store, { id: 'slot_2', caches: null as unknown as SlotRecord['caches'] });
      await insert(store, { id: 'slot_3' });
      expect((await store.slots.list()).damaged.sort()).toEqual(['slot_1', 'slot_2']);
      const claim = (id: string) => store.slots.claimFree('repository-1', { commit: A }, leased(id), []);
      expect(await claim('lease_1')).toMatchObject({ id: 'slot_3' });
      expect(await claim('lease_2')).toBeUndefined();
      await expect(store.slots.find('slot_1')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
      await store.slots.removeDamaged('slot_1');
      expect((await store.slots.list()).damaged).toEqual(['slot_2']);
    });
  });
}
