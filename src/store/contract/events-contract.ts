import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../domain/event.js';
import { allEvents, eventTypes, type OpenStore, sampleEvent, sampleWorkspace } from './sample-records.js';

export function describeEvents(open: OpenStore): void {
  describe('events', () => {
    test('they are returned in order, with ascending numbers and times', async () => {
      const { store, other } = await open();
      await store.events.append([sampleEvent('recovery.done', null), sampleEvent('workspace.landed')]);
      await store.events.append([]);
      await other.events.append([sampleEvent('trust.granted')]);
      const events = await allEvents(store);
      expect(events.map(({ sequence, at, ...event }) => event)).toEqual([
        { ...sampleEvent('recovery.done', null), taskId: null },
        { ...sampleEvent('workspace.landed'), taskId: null },
        { ...sampleEvent('trust.granted'), taskId: null },
      ]);
      const sequences = events.map(event => event.sequence);
      expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
      for (const { at } of events) expect(new Date(at).toISOString()).toBe(at);
    });

    test('a reader continues after the last one it saw, also for one workspace', async () => {
      const { store } = await open();
      const mine = sampleEvent('workspace.ready', 'ws_1');
      await store.events.append([mine, sampleEvent('workspace.ready', 'ws_2'), mine, mine]);
      const [first, , third] = await allEvents(store);
      const sequences = async (filter: Parameters<typeof store.events.list>[0]) =>
        (await store.events.list(filter)).map(event => event.sequence - (first?.sequence ?? 0));
      expect(await sequences({ after: first?.sequence ?? 0, limit: 2 })).toEqual([1, 2]);
      expect(await sequences({ workspaceId: 'ws_1', limit: 10 })).toEqual([0, 2, 3]);
      expect(await sequences({ workspaceId: 'ws_1', after: third?.sequence ?? 0, limit: 10 })).toEqual([3]);
      expect(await sequences({ after: 1_000_000, limit: 10 })).toEqual([]);
    });

    test('a reader of one task sees those that are about it', async () => {
      const { store, other } = await open();
      expect(await store.events.last()).toBe(0);
      const about = (taskId: string): NewEvent => ({ ...sampleEvent('task.started', null), taskId });
      await store.events.append([about('task_1'), sampleEvent('recovery.done'), about('task_2')]);
      await store.events.append([about('task_1')]);
      const own = await other.events.list({ taskId: 'task_1', limit: 10 });
      expect(own.map(event => event.taskId)).toEqual(['task_1', 'task_1']);
      const [first, last] = own.map(event => event.sequence);
      expect(await other.events.last()).toBe(last);
      expect(await store.events.list({ taskId: 'task_1', after: first ?? 0, limit: 10 })).toEqual(
        own.slice(1),
      );
    });

    test("a change whose event can't be written does not happen", async () => {
      const { store } = await open();
      const circular: Record<string, unknown> = {};
      circular.self = circular;
      const broken: NewEvent = { ...sampleEvent('workspace.removed'), data: circular };
      await store.workspaces.insert(sampleWorkspace(), [sampleEvent('workspace.creating')]);
      const { id } = sampleWorkspace();
      await expect(store.workspaces.remove(id, [broken])).rejects.toThrow();
      await expect(store.workspaces.update(id, 'creating', { status: 'ready' }, [broken])).rejects.toThrow();
      expect(await store.workspaces.list()).toEqual([sampleWorkspace()]);
      expect(await eventTypes(store)).toEqual(['workspace.creating']);
    });
  });
}
