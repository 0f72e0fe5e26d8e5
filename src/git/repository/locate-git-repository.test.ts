import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { makeRepository, git as plainGit } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { locateGitRepository } from './locate-git-repository.js';

test('the repository is found from any directory below it', async () => {
  const root = makeRepository({ 'a/b/file': 'x' });
  const found = await locateGitRepository(testGit(), join(root, 'a/b'));
  expect(found).toMatchObject({ root, name: 'repo', commonDir: join(root, '.git'), linkedWorktree: null });
});

test('inside .git it finds the surrounding repository', async () => {
  const root = makeRepository();
  expect((await locateGitRepository(testGit(), join(root, '.git/refs'))).root).toBe(root);
});

test('a linked worktree leads to the main one and is reported', async () => {
  const root = makeRepository();
  const linked = join(tempDir(), 'linked');
  plainGit(root, 'worktree', 'add', '--quiet', linked);
  const found = await locateGitRepository(testGit(), linked);
  expect(found).toMatchObject({ root, linkedWorktree: linked });
  expect(found.id).toBe((await locateGitRepository(testGit(), root)).id);
});

test('a submodule is a separate repository, not a linked worktree', async () => {
  const inner = makeRepository({ 'inner.txt': 'x' });
  const outer = makeRepository();
  plainGit(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
  const found = await locateGitRepository(testGit(), join(outer, 'sub'));
  expect(found).toMatchObject({ root: join(outer, 'sub'), linkedWorktree: null });
});

test('a line break in the path is reported as the problem', async () => {
  const root = makeRepository({ 'a.txt': 'a' }, join(tempDir(), 'two\nlines'));
  await expect(locateGitRepository(testGit(), root)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('a bare repository, a plain directory and a missing directory have distinct errors', async () => {
  const bare = join(tempDir(), 'bare.git');
  mkdirSync(bare);
  plainGit(bare, 'init', '--quiet', '--bare');
  await expect(locateGitRepository(testGit(), bare)).rejects.toMatchObject({ code: 'BARE_REPOSITORY' });
  await expect(locateGitRepository(testGit(), tempDir())).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
  await expect(locateGitRepository(testGit(), join(bare, 'nowhere'))).rejects.toMatchObject({
    code: 'NO_SUCH_DIRECTORY',
  });
});
