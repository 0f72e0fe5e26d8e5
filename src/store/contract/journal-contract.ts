import { describe, expect, test } from 'vitest';
import { moment, type OpenStore, otherProcess, sampleEntry, someProcess } from './sample-records.js';

export function describeJournal(open: OpenStore): void {
  describe('journal', () => {
    test('entries are listed oldest first, as they were begun', async () => {
      const { store, other } = await open();
      const late = sampleEntry({ id: 'op_a', kind: 'down', startedAt: moment(9) });
      const early = sampleEntry({ id: 'op_b', startedAt: moment(2), data: { deep: { list: ['x'] } } });
      await store.journal.begin(late);
      await store.journal.begin(early);
      expect(await other.journal.list()).toEqual([early, late]);
    });

    test('a finished step advances the entry and merges its data', async () => {
      const { store } = await open();
      await store.journal.begin(sampleEntry({ data: { aside: null, kept: 1 } }));
      await store.journal.advance(sampleEntry().id, someProcess, 'registered');
      await store.journal.advance(sampleEntry().id, someProcess, 'populated', {
        aside: '/trash/x',
        added: [2],
      });
      expect(await store.journal.list()).toEqual([
        sampleEntry({ step: 'populated', data: { aside: '/trash/x', kept: 1, added: [2] } }),
      ]);
    });

    test('a step of a missing entry is an error', async () => {
      const { store } = await open();
      const step = store.journal.advance('op_none', someProcess, 'done');
      await expect(step).rejects.toMatchObject({ code: 'OPERATION_LOST' });
    });

    test('an adopted entry can be advanced and finished only by its new owner', async () => {
      const { store } = await open();
      const { id } = sampleEntry();
      await store.journal.begin(sampleEntry());
      await store.journal.adopt(id, someProcess, otherProcess);
      const lost = { code: 'OPERATION_LOST' };
      await expect(store.journal.advance(id, someProcess, 'registered')).rejects.toMatchObject(lost);
      await expect(store.journal.finish(id, someProcess)).rejects.toMatchObject(lost);
      expect(await store.journal.list()).toEqual([sampleEntry({ owner: otherProcess })]);
      await store.journal.advance(id, otherProcess, 'registered');
      expect(await store.journal.finish(id, otherProcess)).toBe(true);
    });

    test('a finished entry is removed, and finishing again does no harm', async () => {
      const { store } = await open();
      await store.journal.begin(sampleEntry());
      await store.journal.begin(sampleEntry({ id: 'op_2' }));
      expect(await store.journal.finish(sampleEntry().id, someProcess)).toBe(true);
      expect(await store.journal.finish(sampleEntry().id, someProcess)).toBe(false);
      expect(await store.journal.list()).toEqual([sampleEntry({ id: 'op_2' })]);
    });

    test('an entry is adopted only from the expected owner', async () => {
      const { store } = await open();
      const { id } = sampleEntry();
      await store.journal.begin(sampleEntry());
      for (const stranger of [
        { ...someProcess, pid: 101 },
        { ...someProcess, startedAt: '5001' },
        { ...someProcess, realm: 'boot-b/pid-1' },
      ]) {
        expect(await store.journal.adopt(id, stranger, otherProcess)).toBe(false);
      }
      expect(await store.journal.adopt('op_none', someProcess, otherProcess)).toBe(false);
      expect(await store.journal.adopt(id, someProcess, otherProcess)).toBe(true);
      expect(await store.journal.list()).toEqual([sampleEntry({ owner: otherProcess })]);
    });

    test('of many that adopt an entry, one wins', async () => {
      const { store, other } = await open();
      await store.journal.begin(sampleEntry());
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).journal.adopt(sampleEntry().id, someProcess, {
            ...otherProcess,
            pid: 1000 + i,
          }),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await store.journal.list())[0]?.owner.pid).toBe(1000 + results.indexOf(true));
    });
  });
}
