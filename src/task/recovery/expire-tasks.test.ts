import { existsSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { makeWorkSite } from '../../../test/helpers/task/work-site.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { taskPlace } from '../record/task-place.js';
import { collectAllGarbage } from './expire-tasks.js';

const DAYS_MS = 86_400_000;

test('ended tasks are forgotten with their files when their workspace is gone and the snapshot retention is over', async () => {
  const site = await makeWorkSite();
  const { app, repository } = site;
  const record = await site.up('a');
  const gone = { ...record, id: 'ws_gone', name: 'gone' };
  const endedAt = new Date(app.now() - 31 * DAYS_MS).toISOString();
  const insert = async (name: string, change: Partial<TaskRecord>, workspace = gone) => {
    const { id } = await site.task(workspace, { id: `task_${name}`, endedAt, ...change });
    writeFiles(taskPlace(app.places.stateDir, id).directory, { 'log.jsonl': '{}\n' });
  };
  await insert('old', {});
  await insert('failed', { status: 'failed' });
  await insert('recent', { endedAt: new Date(app.now() - 29 * DAYS_MS).toISOString() });
  await insert('interrupted', { status: 'interrupted' });
  await insert('kept', {}, record);
  const gc = async (execute: boolean, uptimeMs = 0) => {
    const running = { ...app, steadyTime: () => ({ boot: 'first', uptimeMs }) };
    const { items } = await collectAllGarbage(running, { repository, execute });
    // Created in the same millisecond, they have no order.
    const tasks = items.filter(({ kind }) => kind === 'task');
    return tasks.map(({ name, outcome }) => `${outcome} ${name}`).toSorted();
  };
  expect(await gc(false)).toEqual(['planned task_failed', 'planned task_old']);
  expect(await gc(true)).toEqual(['kept task_failed', 'kept task_old']);
  expect(await gc(true, DAYS_MS)).toEqual(['removed task_failed', 'removed task_old']);
  const left = (await app.store.tasks.list()).map(({ id }) => id);
  expect(left.toSorted()).toEqual(['task_interrupted', 'task_kept', 'task_recent']);
  const places = ['old', 'failed', 'recent', 'interrupted', 'kept'].filter(name =>
    existsSync(taskPlace(app.places.stateDir, `task_${name}`).directory),
  );
  expect(places).toEqual(['recent', 'interrupted', 'kept']);
});

test('leftovers of a forgotten task after a crash are removed later', async () => {
  const { app, repository } = await makeWorkSite();
  const { directory } = taskPlace(app.places.stateDir, 'task_crashed');
  mkdirSync(directory, { recursive: true });
  await collectAllGarbage(app, { repository, execute: true });
  expect(existsSync(directory)).toBe(true);
  const now = () => app.now() + 31 * DAYS_MS;
  const later = (uptimeMs: number) => ({ ...app, now, steadyTime: () => ({ boot: 'first', uptimeMs }) });
  await collectAllGarbage(later(0), { repository, execute: true, trustClock: true });
  expect(existsSync(directory)).toBe(true);
  await collectAllGarbage(later(DAYS_MS), { repository, execute: true, trustClock: true });
  expect(existsSync(directory)).toBe(false);
});
