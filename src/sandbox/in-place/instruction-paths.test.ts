import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { listInstructionPaths } from './instruction-paths.js';

function list(repository: string, home = '/nonexistent') {
  const gitDir = join(repository, '.git');
  const tools = { git: testGit(), environment: { HOME: home } };
  return listInstructionPaths(tools, { gitDir, commonDir: gitDir }, repository);
}

test('an ordinary repository takes instructions from its git directory alone', async () => {
  const repository = makeRepository({ 'src/a.txt': 'a\n' });
  git(repository, 'remote', 'add', 'origin', `${repository}/src`);
  git(repository, 'config', 'user.name', 'src');
  expect(await list(repository)).toEqual({ paths: [], unprotected: [] });
});

test('hooks, included files and programs in the work tree are listed, those elsewhere are not', async () => {
  const repository = makeRepository({
    'tools/clean.sh': '',
    '.husky/_/pre-commit': '',
    'git/own.config': '',
  });
  git(repository, 'config', 'core.hooksPath', '.husky/_');
  git(repository, 'config', 'include.path', '../git/own.config');
  git(repository, 'config', 'includeIf.gitdir:/x/.path', '~/settings/more.config');
  git(repository, 'config', 'filter.x.clean', './tools/clean.sh --all');
  git(repository, 'config', 'filter.y.clean', '/usr/bin/env ./tools/missing.sh');
  writeFiles(repository, { 'git/own.config': '[core]\n\tpager = less\n', 'settings/more.config': '' });
  const { paths, unprotected } = await list(repository, repository);
  expect([...paths].sort()).toEqual(['.husky/_', 'git/own.config', 'settings/more.config', 'tools/clean.sh']);
  expect(unprotected).toEqual([]);
  expect((await list(repository)).paths).not.toContain('settings/more.config');
});

test('of hooks that do not exist yet the directory above is listed, and without one nothing can protect them', async () => {
  const repository = makeRepository({ 'tools/x': '' });
  git(repository, 'config', 'core.hooksPath', 'tools/hooks/git');
  expect(await list(repository)).toEqual({ paths: ['tools'], unprotected: [] });
  git(repository, 'config', 'core.hooksPath', 'hooks');
  expect(await list(repository)).toEqual({ paths: [], unprotected: ['hooks'] });
  mkdirSync(join(repository, 'real'));
  symlinkSync('real', join(repository, 'hooks'));
  expect(await list(repository)).toEqual({ paths: [], unprotected: ['hooks'] });
});
