import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { jj, jjCommit, makeJjFixture, requireJj } from '../../../test/helpers/git/jj.js';
import { git, writeFiles } from '../../../test/helpers/repository.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';

beforeEach(requireJj);

type Fixture = Awaited<ReturnType<typeof makeJjFixture>>;

const LIMITS = { ignoredBytes: 1024 ** 2, regenerable: ['node_modules'] };

/** Takes a snapshot, and removes the workspace with all risks accepted. */
async function remove({ backend, record }: Fixture): Promise<Snapshot> {
  const { removal, snapshots } = backend;
  await removal.setAside(record);
  const captured = await snapshots?.capture(record, {
    snapshotId: 'snap_1',
    message: 'why',
    limits: LIMITS,
    at: new Date(),
    filesAt: removal.asideOf(record),
  });
  const commit = captured?.commit as string;
  await removal.unregister(record, { discardChanges: true, discardCommits: true }, commit);
  await removal.destroy(record);
  const { id: workspaceId, name, repository, repositoryId, branch, base, createdAt } = record;
  return {
    ...{
      id: 'snap_1',
      workspaceId,
      workspaceName: name,
      repository,
      repositoryId,
      backend: 'jj',
      branch,
      base,
    },
    ...(snapshots?.place(record, 'snap_1') as { objectStore: string; ref: string }),
    ...{ commit, reason: 'down', message: 'why', createdAt, expiresAt: createdAt, files: 1, omitted: [] },
  };
}

for (const form of ['plain', 'colocated'] as const) {
  describe(`in a ${form} repository`, () => {
    test('a bookmark that the user moved onto work that is nowhere else is kept', async () => {
      const { backend, record, repository, path } = await makeJjFixture(form);
      writeFiles(path, { 'a.txt': 'a\n' });
      jj(path, 'commit', '-m', 'a');
      jj(path, 'bookmark', 'set', 'carrel/a', '-r', '@-');
      await backend.removal.setAside(record);
      const outcome = await backend.removal.unregister(record, { discardChanges: true }, null);
      expect(outcome).toEqual({ deletedBranch: null, keptBranch: 'carrel/a' });
      expect(jj(repository, 'file', 'list', '-r', 'carrel/a')).toContain('a.txt');
    });

    test('discarded commits and an empty working-copy commit are gone from jj log, and a commit id still shows them', async () => {
      const fixture = await makeJjFixture(form);
      const { record, repository, path } = fixture;
      writeFiles(path, { 'a.txt': 'a\n' });
      jj(path, 'commit', '-m', 'discarded');
      const discarded = jjCommit(repository, 'a@-');
      const empty = jj(path, 'log', '--no-graph', '-r', '@', '-T', 'change_id');
      await remove(fixture);
      expect(jj(repository, 'log', '--no-graph', '-r', 'all()', '-T', 'description')).toBe('first');
      expect(jj(repository, 'log', '--no-graph', '-r', discarded, '-T', 'description')).toBe('discarded');
      expect(jj(repository, 'log', '--no-graph', '-r', `present(${empty})`, '-T', 'change_id')).toBe('');
      expect(jj(repository, 'bookmark', 'list', 'carrel/a')).toBe('');
      expect(git(String(fixture.commonDir), 'for-each-ref', `refs/carrel/workspaces/${record.id}`)).toBe('');
    });

    test('ignored files, large ones and jj’s own record are in the snapshot, and survive jj’s garbage collection', async () => {
      const fixture = await makeJjFixture(form);
      const { backend, record, repository, path, commonDir } = fixture;
      writeFiles(path, {
        '.gitignore': '.env\n',
        '.env': 'SECRET=1\n',
        'large.bin': Buffer.alloc(2 * 1024 ** 2, 7),
      });
      const snapshot = await remove(fixture);
      const message = git(commonDir, 'log', '-1', '--format=%B', String(snapshot.commit));
      expect(message).toMatch(
        /^why\n\njj operation \w{16}; return to it with: jj op restore \w{16}\njj change \w{32}$/,
      );
      jj(repository, 'abandon', 'all() ~ ::main ~ default@');
      jj(repository, 'operation', 'abandon', '..@-');
      jj(repository, 'util', 'gc', '--expire', 'now');
      expect(await backend.snapshots?.verify(snapshot)).toBe(snapshot.commit);
      await fixture.create({ from: snapshot });
      expect(readFileSync(join(path, '.env'), 'utf8')).toBe('SECRET=1\n');
      expect(readFileSync(join(path, 'large.bin'))).toHaveLength(2 * 1024 ** 2);
      expect(jj(path, 'status')).toContain('.gitignore');
      expect(jjCommit(repository, `a@-`)).toBe(record.base.commit);
    });

    test('a restored workspace has its former parent commits', async () => {
      const fixture = await makeJjFixture(form);
      const { repository, path } = fixture;
      writeFiles(path, { 'a.txt': 'a\n' });
      jj(path, 'commit', '-m', 'first of mine');
      writeFiles(path, { 'b.txt': 'b\n' });
      const tip = jjCommit(repository, `a@-`);
      const snapshot = await remove(fixture);
      expect(existsSync(path)).toBe(false);
      await fixture.create({ from: snapshot });
      expect(jjCommit(repository, `a@-`)).toBe(tip);
      expect(jj(path, 'diff', '--name-only')).toBe('b.txt');
    });
  });
}

test('a workspace that jj has forgotten is reported replaced', async () => {
  const { backend, record, repository } = await makeJjFixture('colocated');
  jj(repository, 'workspace', 'forget', 'a');
  const [look] = await backend.inspect([record], { size: false });
  expect(look?.presence).toEqual({ kind: 'replaced', found: 'a workspace that jj has forgotten' });
  await expect(backend.removal.setAside(record)).rejects.toMatchObject({ code: 'WORKSPACE_REPLACED' });
});

test('when the repository is gone, the rest can be removed', async () => {
  const { backend, record, repository } = await makeJjFixture('plain');
  await backend.removal.setAside(record);
  rmSync(repository, { recursive: true });
  const outcome = await backend.removal.unregister(record, {}, null);
  expect(outcome).toEqual({ deletedBranch: null, keptBranch: null });
  await backend.removal.destroy(record);
  expect(await backend.removal.hasRemains(record)).toBe(false);
});
