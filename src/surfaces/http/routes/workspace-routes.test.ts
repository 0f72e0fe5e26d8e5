import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { makeRepository } from '../../../../test/helpers/repository.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';

test('a workspace is created, changed, snapshotted and landed over HTTP', async () => {
  const repository = makeRepository({ 'one.txt': 'one\n' });
  const { client } = await startTestServer({ repository });
  const workspace = await client.workspaces.create({ name: 'desk', isolation: 'worktree' });
  expect(workspace).toMatchObject({ name: 'desk', repository, status: 'ready' });
  writeFileSync(join(workspace.path, 'one.txt'), 'two\n');
  expect((await client.workspaces.show(workspace.id)).changes).toMatchObject({ unstaged: 1 });
  const snapshot = await client.workspaces.snapshot(workspace.id, { message: 'half way' });
  expect(await client.snapshots.list({ repository })).toEqual([snapshot]);
  const landed = await client.workspaces.land(workspace.id, { message: 'two instead of one' });
  expect(landed).toMatchObject({ commits: 1, removed: { id: workspace.id } });
  expect(readFileSync(join(repository, 'one.txt'), 'utf8')).toBe('two\n');
  expect(await client.workspaces.list()).toEqual([]);
  const restored = await client.snapshots.restore(snapshot.id, { as: 'again' });
  expect(readFileSync(join(restored.path, 'one.txt'), 'utf8')).toBe('two\n');
});

thoroughTest(
  'removing a workspace with work is refused with the risks, and done when they are accepted',
  async () => {
    const repository = makeRepository();
    const { client, fetch } = await startTestServer({ repository });
    const { id, path } = await client.workspaces.create({ name: 'desk', isolation: 'worktree' });
    expect(await client.workspaces.risks(id)).toEqual({ id, name: 'desk', path, risks: [] });
    writeFileSync(join(path, 'new.txt'), 'mine\n');
    const { risks } = await client.workspaces.risks(id);
    expect(risks).toMatchObject([{ kind: 'untracked', items: ['new.txt'], flag: '--discard-changes' }]);
    const refused = await fetch(`/api/workspaces/${id}`, { method: 'DELETE' });
    expect(refused.status).toBe(409);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(await refused.json()).toMatchObject({ code: 'REMOVAL_REFUSED', details: { risks } });
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('mine\n');
    const { snapshot } = await client.workspaces.remove(id, { discardChanges: true });
    expect(existsSync(path)).toBe(false);
    const restored = await client.snapshots.restore(snapshot as string);
    expect(readFileSync(join(restored.path, 'new.txt'), 'utf8')).toBe('mine\n');
  },
);

test('the diff is exact, including binary files', async () => {
  const repository = makeRepository();
  const { client, fetch } = await startTestServer({ repository });
  const { id, path } = await client.workspaces.create({ isolation: 'worktree' });
  const bytes = randomBytes(300_000);
  writeFileSync(join(path, 'picture.bin'), bytes);
  writeFileSync(join(path, 'latin.txt'), Buffer.from('gr\xfc\xdfe\n', 'latin1'));
  const answer = await fetch(`/api/workspaces/${id}/diff`);
  expect(answer.headers.get('content-type')).toBe('text/x-diff');
  const patch = Buffer.from(await answer.arrayBuffer());
  execFileSync('git', ['apply', '-'], { cwd: repository, input: patch });
  expect(readFileSync(join(repository, 'picture.bin')).equals(bytes)).toBe(true);
  expect(readFileSync(join(repository, 'latin.txt'), 'latin1')).toBe('gr\xfc\xdfe\n');
});

test('a list without details does not read the files', async () => {
  const repository = makeRepository();
  const { client } = await startTestServer({ repository });
  const { path } = await client.workspaces.create({ isolation: 'worktree' });
  writeFileSync(join(path, 'new.txt'), 'mine\n');
  const { list } = client.workspaces;
  expect(await list({ fast: true })).toMatchObject([{ path, changes: null, sizeBytes: null }]);
  expect(await list()).toMatchObject([{ path, changes: { untracked: 1 } }]);
});

test.each(['/api/workspaces/', '/api/snapshots/', '/api/batches/'])(
  'an invalid id under %s is not found, even if it is a path',
  async root => {
    const { fetch } = await startTestServer({ repository: makeRepository() });
    const wrong = ['..%2F..%2Fetc', '%2Fetc%2Fpasswd', 'ws_0000000000000000', 'desk', '%00', '-R', '.'];
    for (const id of wrong) {
      const path = root === '/api/snapshots/' ? `${root}${id}/restore` : `${root}${id}`;
      const method = root === '/api/snapshots/' ? 'POST' : 'GET';
      const { status } = await fetch(path, { method });
      expect({ id, status }).toEqual({ id, status: 404 });
    }
  },
);

test('every request for a repository outside of the roots is refused', async () => {
  const { client } = await startTestServer({ repository: makeRepository() });
  const repository = makeRepository();
  const refusal = { code: 'REPOSITORY_NOT_ALLOWED', status: 403 };
  await expect(client.workspaces.create({ repository })).rejects.toMatchObject(refusal);
  await expect(client.workspaces.list({ repository })).rejects.toMatchObject(refusal);
  await expect(client.snapshots.list({ repository })).rejects.toMatchObject(refusal);
  await expect(client.pool.status({ repository })).rejects.toMatchObject(refusal);
  await expect(client.pool.warm({ repository, count: 1 })).rejects.toMatchObject(refusal);
  await expect(client.pool.drain({ repository })).rejects.toMatchObject(refusal);
  await expect(client.config({ repository })).rejects.toMatchObject(refusal);
  await expect(client.doctor({ repository })).rejects.toMatchObject(refusal);
});

thoroughTest(
  'a workspace from elsewhere can be read by its id, and changed only if requests may name its repository',
  async () => {
    const elsewhere = makeRepository();
    const { client: there, carrel } = await startTestServer({ repository: elsewhere });
    const { client } = await startTestServer({ carrel, repository: makeRepository() });
    const { id, path } = await there.workspaces.create({ name: 'desk', isolation: 'worktree' });
    const held = await there.workspaces.snapshot(id);
    expect(await client.workspaces.show(id)).toMatchObject({ id, repository: elsewhere });
    expect(await client.workspaces.risks(id)).toMatchObject({ risks: [] });
    expect(await client.workspaces.diff(id)).toBe('');
    const changes = {
      remove: () => client.workspaces.remove(id),
      removeWorktree: () => client.developer.removeWorktree(id),
      snapshot: () => client.workspaces.snapshot(id),
      land: () => client.workspaces.land(id),
      restore: () => client.snapshots.restore(held.id, { as: 'again' }),
    };
    const refusal = { code: 'REPOSITORY_NOT_ALLOWED', status: 403, hint: expect.stringContaining('--allow') };
    for (const [name, change] of Object.entries(changes))
      await expect(change(), name).rejects.toMatchObject(refusal);
    expect(existsSync(path)).toBe(true);
    expect(await there.workspaces.list()).toMatchObject([{ id }]);
    expect(await there.snapshots.list()).toEqual([held]);
    expect(await there.workspaces.remove(id)).toMatchObject({ id });
  },
);
