import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWorkspaceSite } from '../../../test/helpers/workspace/workspace-site.js';
import { NO_OWNER } from '../../domain/process-identity.js';
import { removeWorkspace } from '../removal/down.js';
import { recover } from './recover.js';

const accepted = { discardChanges: true };

test('a running process retries what it could not finish', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  writeFileSync(join(record.path, 'work.txt'), 'work\n');
  const failing = { ...app, onStep: failAt('unregistered') };
  const query = { repository: record.repository, name: record.name, accepted };
  await expect(removeWorkspace(failing, query)).rejects.toThrow('no more');
  expect(await app.store.journal.list()).toMatchObject([{ kind: 'down', owner: NO_OWNER }]);
  await expect(removeWorkspace(app, query)).rejects.toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });
  expect(await app.store.journal.list()).toEqual([]);
  expect(existsSync(record.path)).toBe(false);
  expect(await app.store.snapshots.list()).toMatchObject([{ workspaceName: record.name, files: 1 }]);
});

test('a removal in a database of the first version, which had no claims, is finished', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  writeFileSync(join(record.path, 'work.txt'), 'work\n');
  const failing = { ...app, onStep: failAt('unregistered') };
  const query = { repository: record.repository, name: record.name, accepted };
  await expect(removeWorkspace(failing, query)).rejects.toThrow('no more');
  await app.store.workspaces.update(record.id, 'removing', { operationId: null }, []);
  await recover(app);
  expect(await app.store.workspaces.find(record.id)).toBeUndefined();
  expect(await app.store.snapshots.list()).toMatchObject([{ workspaceName: record.name, files: 1 }]);
});

test('a command that ended after its Carrel was killed is no longer recorded as running', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  const command = { workspaceId: record.id, command: 'sh', startedAt: new Date().toISOString() };
  const dead = { ...app.self, startedAt: 'another' };
  await app.store.commands.insert({ ...command, id: 'op_1', process: dead });
  await app.store.commands.insert({ ...command, id: 'op_2', process: app.self });
  await recover(app);
  expect(await app.store.commands.list()).toMatchObject([{ id: 'op_2' }]);
});

test('an operation that runs in this process is never recovered by it', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  writeFileSync(join(record.path, 'work.txt'), 'work\n');
  const beside: Promise<unknown>[] = [];
  const steps: string[] = [];
  const watched = {
    ...app,
    onStep: (_: string, step: string) => {
      steps.push(step);
      beside.push(recover(app));
    },
  };
  const query = { repository: record.repository, name: record.name, accepted };
  const removed = await removeWorkspace(watched, query);
  await Promise.all(beside);
  expect(steps).toContain('set-aside');
  expect(removed.snapshot).toMatch(/^snap_/);
  const events = await app.store.events.list({ limit: 1000 });
  expect(events.filter(event => event.type === 'recovery.done')).toEqual([]);
});

function failAt(moment: string): (kind: string, step: string) => void {
  return (_, step) => {
    if (step === moment) throw new Error('no more');
  };
}
