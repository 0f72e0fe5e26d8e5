import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  describeUser,
  jj,
  jjCommit,
  makeJjFixture,
  makeJjRepository,
  requireJj,
} from '../../../test/helpers/git/jj.js';
import { git, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';

beforeEach(requireJj);

const LIMITS = { ignoredBytes: 1024 ** 2, regenerable: [] };

for (const form of ['plain', 'colocated'] as const) {
  describe(`in a ${form} repository`, () => {
    test('the user’s files do not change, edits that jj has not recorded included', async () => {
      const repository = makeJjRepository(form);
      writeFiles(repository, { 'README.md': 'edited\n', 'new.txt': 'new\n' });
      const before = describeUser(repository, form);
      const { backend, record, path } = await makeJjFixture(form, {}, repository);
      writeFiles(path, { 'README.md': 'in the workspace\n' });
      await backend.inspect([record], { size: true });
      await backend.findRisks(record, LIMITS);
      await backend.diffing?.diff(record, 'patch', () => {});
      const request = { snapshotId: 'snap_1', message: null, limits: LIMITS, at: new Date() };
      await backend.snapshots?.capture(record, request);
      expect(describeUser(repository, form)).toEqual(before);
      await backend.removal.setAside(record);
      await backend.removal.unregister(record, { discardChanges: true }, null);
      await backend.removal.destroy(record);
      expect(describeUser(repository, form)).toEqual(before);
      expect(jj(repository, 'workspace', 'list', '-T', 'name ++ "\\n"')).toBe('default');
    });

    test('the workspace is an empty change on the base, with a bookmark there, and jj works in it', async () => {
      const { repository, record, path } = await makeJjFixture(form);
      expect(record.base).toEqual({ ref: 'main', commit: jjCommit(repository, 'main') });
      expect(jjCommit(repository, `a@-`)).toBe(record.base.commit);
      expect(jjCommit(repository, 'carrel/a')).toBe(record.base.commit);
      expect(jj(path, 'status')).toContain('The working copy has no changes.');
      expect(existsSync(join(path, '.git'))).toBe(false);
    });

    test('a base is a revset, a change, a bookmark, a tag of git, or a commit', async () => {
      const { backend, located, repository, record } = await makeJjFixture(form);
      const main = record.base.commit;
      const changeId = jj(repository, 'log', '--no-graph', '-r', 'main', '-T', 'change_id');
      for (const base of ['main', '@-', 'heads(::main)', changeId, String(main)]) {
        expect((await backend.resolve(located, { base })).base).toEqual({ ref: base, commit: main });
      }
      for (const base of ['none', 'main | @', ')(', '-x']) {
        await expect(backend.resolve(located, { base })).rejects.toMatchObject({ code: 'UNKNOWN_BASE' });
      }
    });

    test('a taken name, one of our workspaces and an empty repository are refused', async () => {
      const { backend, located, path } = await makeJjFixture(form);
      const resolving = backend.resolve(located, { branch: 'carrel/a' });
      await expect(resolving).rejects.toMatchObject({ code: 'BRANCH_EXISTS' });
      const inside = await backend.locate(path);
      expect(inside).toEqual({ ...located, linkedWorktree: path });
      await expect(backend.resolve(inside, {})).rejects.toMatchObject({ code: 'INSIDE_WORKTREE' });
      const empty = tempDir();
      jj(empty, 'git', 'init', form === 'colocated' ? '--colocate' : '--no-colocate');
      const nothing = await backend.locate(empty);
      await expect(backend.resolve(nothing, {})).rejects.toMatchObject({ code: 'EMPTY_REPOSITORY' });
    });

    test('a bookmark that the user creates at the last moment is kept', async () => {
      const { backend, record, repository, create } = await makeJjFixture(form);
      await backend.undoCreate(record);
      jj(repository, 'bookmark', 'create', 'carrel/a', '-r', 'main');
      await expect(create()).rejects.toMatchObject({ code: 'BRANCH_EXISTS' });
      await backend.undoCreate(record);
      expect(jjCommit(repository, 'carrel/a')).toBe(record.base.commit);
      expect(existsSync(record.path)).toBe(false);
    });
  });
}

test('a commit that only git knows is not replaced by an older one', async () => {
  const { backend, located, repository } = await makeJjFixture('colocated');
  writeFiles(repository, { 'git.txt': 'by git\n' });
  git(repository, 'add', 'git.txt');
  git(repository, 'commit', '--quiet', '-m', 'by git');
  await expect(backend.resolve(located, {})).rejects.toMatchObject({ code: 'JJ_BEHIND' });
  jj(repository, 'status');
  const { base } = await backend.resolve(located, {});
  expect(base.commit).toBe(git(repository, 'rev-parse', 'HEAD'));
});

test('undoing does not delete files that jj has forgotten', async () => {
  const { backend, record, repository, path } = await makeJjFixture('colocated');
  writeFiles(path, { 'work.txt': 'work\n' });
  jj(repository, 'workspace', 'forget', 'a');
  await expect(backend.undoCreate(record)).rejects.toMatchObject({ code: 'WORKSPACE_REPLACED' });
  expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work\n');
});
