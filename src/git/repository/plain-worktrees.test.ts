import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { git, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { listWorktrees } from './locate-git-repository.js';
import { listPlainWorktrees } from './plain-worktrees.js';

function makeWorktrees() {
  const repository = makeRepository();
  const [one, detached, gone] = ['one tree', 'detached', 'gone'].map(name => join(tempDir(), name)) as [
    string,
    string,
    string,
  ];
  git(repository, 'worktree', 'add', '--quiet', '-b', 'deep/one', one);
  git(repository, 'worktree', 'add', '--quiet', '--detach', detached);
  git(repository, 'worktree', 'add', '--quiet', '-b', 'gone', gone);
  rmSync(gone, { recursive: true });
  return { repository, commonDir: join(repository, '.git') };
}

test('lists what git lists, main first, and directories that are gone', async () => {
  const { commonDir } = makeWorktrees();
  const plain = listPlainWorktrees(commonDir)?.map(({ path, branch }) => ({ path, branch })) ?? [];
  const byGit = (await listWorktrees(testGit(), commonDir)).map(({ path, branch }) => ({ path, branch }));
  expect(plain[0]).toEqual(byGit[0]);
  expect(new Set(plain)).toEqual(new Set(byGit));
});

test('a damaged registration, a bare repository and one without worktrees', () => {
  const { repository, commonDir } = makeWorktrees();
  expect(listPlainWorktrees(join(makeRepository(), '.git'))?.map(({ branch }) => branch)).toEqual([
    'refs/heads/main',
  ]);
  git(repository, 'config', 'core.bare', 'true');
  expect(listPlainWorktrees(commonDir)).toBeUndefined();
  git(repository, 'config', 'core.bare', 'false');
  writeFileSync(join(commonDir, 'worktrees', 'detached', 'HEAD'), 'nothing\n');
  expect(listPlainWorktrees(commonDir)).toBeUndefined();
});
