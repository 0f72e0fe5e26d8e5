import { describe, expect, test } from 'vitest';
import type { TaskRecord } from '../../domain/task/task.js';
import type { Store } from '../store.js';
import {
  allEvents,
  eventTypes,
  moment,
  type OpenStore,
  otherProcess,
  sampleEvent,
  sampleTask,
  sampleWorkspace,
  someProcess,
} from './sample-records.js';

const insert = (store: Store, change: Partial<TaskRecord> = {}): Promise<void> =>
  store.tasks.insert(sampleTask(change), []);

const { id } = sampleTask();

const owned = { status: 'running', owner: someProcess, heartbeatAt: moment(1) } as const;

export function describeTasks(open: OpenStore): void {
  describe('tasks', () => {
    test('a task is returned as it was stored, with its event', async () => {
      const { store, other } = await open();
      const failure = { kind: 'timed-out', stage: 'develop', message: 'a', hint: 'b', output: null } as const;
      const task = sampleTask({ ...owned, cancelRequestedAt: moment(3), failure });
      await store.tasks.insert(task, [sampleEvent('task.created', null)]);
      expect(await other.tasks.find(task.id)).toEqual(task);
      expect(await store.tasks.find('task_none')).toBeUndefined();
      expect(await eventTypes(store)).toEqual(['task.created']);
    });

    test('they are listed oldest first, by repository and status, or the newest of them', async () => {
      const { store } = await open();
      await insert(store, { id: 'task_2', createdAt: moment(2), status: 'failed' });
      await insert(store, { id: 'task_1', createdAt: moment(1) });
      await insert(store, { id: 'task_3', createdAt: moment(3), repositoryId: 'repository-2' });
      const ids = async (filter?: Parameters<typeof store.tasks.list>[0]) =>
        (await store.tasks.list(filter)).map(task => task.id);
      expect(await ids()).toEqual(['task_1', 'task_2', 'task_3']);
      expect(await ids({ repositoryId: 'repository-1' })).toEqual(['task_1', 'task_2']);
      expect(await ids({ statuses: ['waiting', 'running'] })).toEqual(['task_1', 'task_3']);
      expect(await ids({ statuses: [] })).toEqual([]);
      expect(await ids({ newest: 2 })).toEqual(['task_2', 'task_3']);
      expect(await ids({ newest: 1, repositoryId: 'repository-1', statuses: ['waiting'] })).toEqual([
        'task_1',
      ]);
    });

    test('ids are found by their prefix, taken literally', async () => {
      const { store } = await open();
      for (const name of ['task_1a', 'task_1b', 'task_2']) await insert(store, { id: name });
      expect(await store.tasks.findIds('task_1')).toEqual(['task_1a', 'task_1b']);
      expect(await store.tasks.findIds('task_2')).toEqual(['task_2']);
      for (const none of ['task-', 'TASK_', '%', "task_1'", 'task_22'])
        expect(await store.tasks.findIds(none)).toEqual([]);
      for (let i = 0; i < 10; i++) await insert(store, { id: `task_3${i}` });
      expect(await store.tasks.findIds('')).toHaveLength(10);
    });

    test('a change needs the task to be as expected, in status and owner', async () => {
      const { store } = await open();
      await insert(store, owned);
      const events = [sampleEvent('task.validating', null)];
      const refused = [
        { statuses: ['waiting', 'validating'] },
        { statuses: [] },
        { statuses: ['running'], owner: otherProcess },
        { statuses: ['running'], owner: null },
      ] as const;
      for (const expected of refused)
        expect(await store.tasks.update(id, expected, { priority: 9 }, events)).toBeUndefined();
      expect(await store.tasks.update('task_none', { statuses: ['running'] }, {}, events)).toBeUndefined();
      expect(await allEvents(store)).toEqual([]);
      expect(await store.tasks.find(id)).toEqual(sampleTask(owned));
      const expected = { statuses: ['waiting', 'running'], owner: someProcess } as const;
      const patch = { status: 'validating', head: 'c'.repeat(40) } as const;
      expect(await store.tasks.update(id, expected, patch, events)).toEqual(
        sampleTask({ ...owned, ...patch }),
      );
      expect(await eventTypes(store)).toEqual(['task.validating']);
    });

    test('a change for an earlier run of the same process is refused', async () => {
      const { store } = await open();
      const run = { startedAt: moment(1), endedAt: null, outcome: 'running' } as const;
      await insert(store, { ...owned, runs: [run, run] });
      const change = (runs: number) =>
        store.tasks.update(
          id,
          { statuses: ['running'], owner: someProcess, runs },
          { status: 'validating' },
          [],
        );
      expect(await change(1)).toBeUndefined();
      expect(await change(2)).toMatchObject({ status: 'validating' });
    });

    test('a change can clear the failure and the owner', async () => {
      const { store } = await open();
      const failure = { kind: 'internal', stage: null, message: 'a', hint: 'b', output: null } as const;
      await insert(store, { ...owned, failure });
      const patch = { failure: undefined, owner: null, heartbeatAt: null, status: 'interrupted' } as const;
      const changed = await store.tasks.update(id, { statuses: ['running'] }, patch, []);
      expect(changed).toEqual(sampleTask({ status: 'interrupted' }));
      expect(await store.tasks.find(id)).toEqual(changed);
    });

    test('of many changes from the same state one succeeds', async () => {
      const { store, other } = await open();
      await insert(store);
      const changes = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? store : other).tasks.update(id, { statuses: ['waiting'], owner: null }, owned, []),
        ),
      );
      expect(changes.filter(Boolean)).toHaveLength(1);
    });

    test('only the owner can send a heartbeat; it is written at intervals, and returns a cancel request', async () => {
      const { store, other } = await open();
      await insert(store, owned);
      const heartbeat = async () => (await other.tasks.find(id))?.heartbeatAt;
      expect(await store.tasks.beat(id, someProcess, moment(2))).toEqual({ cancelRequested: false });
      expect(await heartbeat()).toBe(moment(1));
      expect(await store.tasks.beat(id, someProcess, moment(20))).toEqual({ cancelRequested: false });
      expect(await heartbeat()).toBe(moment(20));
      expect(await other.tasks.beat(id, otherProcess, moment(40))).toBeUndefined();
      expect(await other.tasks.beat('task_none', someProcess, moment(40))).toBeUndefined();
      expect(await heartbeat()).toBe(moment(20));
      await other.tasks.update(id, { statuses: ['running'] }, { cancelRequestedAt: moment(21) }, []);
      for (const at of [moment(22), moment(40)])
        expect(await store.tasks.beat(id, someProcess, at)).toEqual({ cancelRequested: true });
      // The clock was set back.
      await store.tasks.beat(id, someProcess, moment(3));
      expect(await heartbeat()).toBe(moment(3));
    });

    test('an invalid task hides no other', async () => {
      const { store } = await open();
      await insert(store, { id: 'task_1', status: 'asleep' as TaskRecord['status'] });
      await insert(store, { id: 'task_2', plan: null as unknown as TaskRecord['plan'] });
      await insert(store, { id: 'task_3' });
      expect((await store.tasks.list()).map(task => task.id)).toEqual(['task_3']);
      await expect(store.tasks.find('task_1')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    });

    test('a task reserves the name and the path of its workspace until it exists or the task ends', async () => {
      const { store, other } = await open();
      const place = { workspaceName: 'dark-mode', worktreePath: '/cache/dark-mode' };
      await insert(store, place);
      expect(await store.workspaces.takenPaths()).toEqual([place.worktreePath]);
      const taken = { code: 'WORKSPACE_EXISTS', details: { name: 'dark-mode', path: place.worktreePath } };
      const sameName = sampleWorkspace({ name: 'dark-mode', path: '/elsewhere' });
      const samePath = sampleWorkspace({ path: '/cache/Dark-Mode' });
      for (const workspace of [sameName, samePath])
        await expect(other.workspaces.insert(workspace, [])).rejects.toMatchObject(taken);
      const second = { id: 'task_2', workspaceName: 'light-mode', worktreePath: '/cache/light-mode' };
      for (const change of [{ workspaceName: 'dark-mode' }, { worktreePath: '/cache/DARK-mode' }])
        await expect(insert(other, { ...second, ...change })).rejects.toMatchObject(taken);
      await insert(other, second);
      const clash = { worktreePath: place.worktreePath };
      await expect(store.tasks.update('task_2', { statuses: ['waiting'] }, clash, [])).rejects.toMatchObject(
        taken,
      );
      // The user's own checkout is no reservation.
      const shared = { strategy: 'none', cleanup: true, preserveOnFailure: true } as const;
      for (const n of ['task_3', 'task_4'])
        await insert(store, { id: n, workspaceName: n, worktreePath: '/home/me/api', workspace: shared });
      // The task itself may create it, and another one when the task has ended.
      await store.workspaces.insert({ ...sameName, path: place.worktreePath, taskId: id }, []);
      await store.workspaces.remove(sameName.id, []);
      await store.tasks.update(id, { statuses: ['waiting'] }, { status: 'cancelled' }, []);
      await other.workspaces.insert(samePath, []);
      const renamed = store.workspaces.update(samePath.id, samePath.status, { name: 'light-mode' }, []);
      await expect(renamed).rejects.toMatchObject({ code: 'WORKSPACE_EXISTS' });
      expect(
        await store.workspaces.update(samePath.id, samePath.status, { name: 'dark-mode' }, []),
      ).toBeDefined();
    });

    test('removing is reported once', async () => {
      const { store } = await open();
      await insert(store);
      expect(await store.tasks.remove(id)).toBe(true);
      expect(await store.tasks.remove(id)).toBe(false);
      expect(await store.tasks.list()).toEqual([]);
    });
  });
}
