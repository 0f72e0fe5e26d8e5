import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeRepository } from '../../helpers/repository.js';
import { connectMcp } from '../../helpers/server/mcp-client.js';
import { startTestServer } from '../../helpers/server/test-server.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

// Snapshots, workspaces and the pool have the same fields on every surface.

test('the API lists the snapshots of one workspace, and restores one under another name', async () => {
  const repository = makeRepository();
  const { client, fetch } = await startTestServer({ repository });
  const { id } = await client.workspaces.create({ name: 'one', isolation: 'worktree' });
  await client.workspaces.create({ name: 'two', isolation: 'worktree' });
  const taken = await client.workspaces.snapshot(id, { message: 'first' });
  expect(await client.snapshots.list({ workspace: 'one' })).toMatchObject([{ id: taken.id }]);
  expect(await client.snapshots.list({ repository, workspace: 'two' })).toEqual([]);
  expect(await client.snapshots.restore(taken.id, { as: 'again' })).toMatchObject({ name: 'again' });
  const old = { name: 'other' } as unknown as { as: string };
  await expect(client.snapshots.restore(taken.id, old)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  const refused = await fetch('/api/workspaces?all=true');
  expect(refused.status).toBe(400);
  expect(await client.workspaces.show(id)).toMatchObject({ risks: [], snapshots: [{ id: taken.id }] });
});

test('the pool is warmed at a named commit over the API', async () => {
  const repository = makeRepository();
  const { client } = await startTestServer({ repository });
  onTestFinished(() => client.pool.drain().then(() => undefined));
  const warmed = await client.pool.warm({ count: 1, base: 'main', kind: 'checkout' });
  expect(warmed).toMatchObject({ wanted: 1, free: 1 });
  await expect(client.pool.warm({ count: 0 })).rejects.toMatchObject({ status: 400 });
});

thoroughTest('an agent lists only the snapshots that belong to its repository', async () => {
  const [carrel, repository, other] = [createTidyCarrel(), makeRepository(), makeRepository()];
  carrel.ok(other, 'up', 'theirs');
  carrel.ok(other, 'snapshot', 'theirs');
  carrel.ok(repository, 'up', 'mine');
  const id = carrel.ok(repository, 'snapshot', 'mine');
  await using mcp = await connectMcp(carrel, repository);
  const { snapshots } = await mcp.call<{ snapshots: Snapshot[] }>('snapshot_list', {});
  expect(snapshots.map(snapshot => snapshot.id)).toEqual([id]);
});

thoroughTest('a program takes, lists and restores snapshots, and removes what it accepts', async () => {
  const [{ env }, repository] = [createTidyCarrel(), makeRepository()];
  const carrel = await openLibrary({ repository, environment: env });
  onTestFinished(() => carrel.close());
  const { path } = await carrel.workspaces.create({ name: 'one' });
  expect(await carrel.workspaces.path('one')).toEqual({ path });
  writeFileSync(join(path, 'new.txt'), 'mine\n');
  const { id, message } = await carrel.workspaces.snapshot('one', { message: 'first' });
  expect(message).toBe('first');
  expect(await carrel.snapshots.list({ workspace: 'one' })).toMatchObject([{ id }]);
  expect(await carrel.snapshots.restore(id, { as: 'again' })).toMatchObject({ name: 'again' });
  expect((await carrel.workspaces.risks('one')).risks).toMatchObject([{ kind: 'untracked' }]);
  expect(await carrel.workspaces.exec('one', ['cat', 'new.txt'])).toMatchObject({ stdout: 'mine\n' });
  const mistyped = carrel.workspaces.exec('one', ['true'], { timeout: 5 } as never);
  await expect(mistyped).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringContaining('did you mean "timeoutMs"?'),
  });
  await expect(carrel.workspaces.remove('one')).rejects.toMatchObject({ code: 'REMOVAL_REFUSED' });
  expect(await carrel.workspaces.remove('one', { snapshotChanges: true })).toMatchObject({ name: 'one' });
});
