import { existsSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeFiles } from '../../test/helpers/repository.js';
import { makeWorkSite } from '../../test/helpers/work-site.js';
import type { TaskRecord } from '../domain/task.js';
import { collectAllGarbage } from './forget-tasks.js';
import { taskPlace } from './task-place.js';

const DAYS_MS = 86_400_000;

test('ended tasks are forgotten with their files when their workspace is gone and snapshots would be', async () => {
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
  const gc = async (execute: boolean) => {
    const { items } = await collectAllGarbage(app, { repository, execute });
    return items.filter(({ kind }) => kind === 'task').map(({ name, outcome }) => `${outcome} ${name}`);
  };
  expect(await gc(false)).toEqual(['planned task_old', 'planned task_failed']);
  expect(await gc(true)).toEqual(['removed task_old', 'removed task_failed']);
  const left = (await app.store.tasks.list()).map(({ id }) => id);
  expect(left.toSorted()).toEqual(['task_interrupted', 'task_kept', 'task_recent']);
  const places = ['old', 'failed', 'recent', 'interrupted', 'kept'].filter(name =>
    existsSync(taskPlace(app.places.stateDir, `task_${name}`).directory),
  );
  expect(places).toEqual(['recent', 'interrupted', 'kept']);
});

test('what a crash has left of a forgotten task goes later', async () => {
  const { app, repository } = await makeWorkSite();
  const { directory } = taskPlace(app.places.stateDir, 'task_crashed');
  mkdirSync(directory, { recursive: true });
  await collectAllGarbage(app, { repository, execute: true });
  expect(existsSync(directory)).toBe(true);
  const later = { ...app, now: () => app.now() + 31 * DAYS_MS };
  await collectAllGarbage(later, { repository, execute: true });
  expect(existsSync(directory)).toBe(false);
});
