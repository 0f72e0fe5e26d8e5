import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { describePrivateGit, writePrivateGit } from './private-git.js';

async function makePrivate(repository: string) {
  const directory = tempDir();
  const request = {
    gitDir: join(directory, 'git'),
    workTree: join(directory, 'tree'),
    commonDir: join(repository, '.git'),
    commit: git(repository, 'rev-parse', 'HEAD'),
  };
  await writePrivateGit(request);
  git(request.workTree, 'checkout', '--quiet', '--force', '--detach', request.commit);
  return request;
}

test('git works in the work tree, at the commit, and clean', async () => {
  const repository = makeRepository();
  const { workTree, gitDir, commit } = await makePrivate(repository);
  expect(git(workTree, 'rev-parse', 'HEAD', '--absolute-git-dir', '--show-toplevel').split('\n')).toEqual([
    commit,
    gitDir,
    workTree,
  ]);
  expect(git(workTree, 'status', '--porcelain=v2', '--branch')).not.toMatch(/^[12?u]/m);
  expect(git(workTree, 'log', '--format=%s')).toBe('first');
});

test('changes in it do not affect the repository', async () => {
  const repository = makeRepository();
  const before = fingerprint(repository);
  const { workTree } = await makePrivate(repository);
  git(workTree, 'switch', '--quiet', '-c', 'feature');
  commitFiles(workTree, { 'new.txt': 'new\n' });
  appendFileSync(join(workTree, 'new.txt'), 'more');
  git(workTree, 'stash');
  git(workTree, 'config', 'user.name', 'Somebody');
  git(workTree, 'gc', '--quiet', '--prune=now');
  expect(fingerprint(repository)).toEqual(before);
  expect(git(repository, 'fsck', '--no-dangling')).toBe('');
});

test("the repository's settings, ignore rules and attributes apply in it", async () => {
  const repository = makeRepository({ 'unix.txt': 'a\nb\n' });
  git(repository, 'config', 'core.autocrlf', 'true');
  git(repository, 'config', 'core.worktree', repository);
  writeFiles(repository, { '.git/info/exclude': '*.secret\n', '.git/info/attributes': 'unix.txt text\n' });
  const { workTree } = await makePrivate(repository);
  expect(readFileSync(join(workTree, 'unix.txt'), 'latin1')).toBe('a\r\nb\r\n');
  writeFiles(workTree, { 'my.secret': 'x' });
  expect(git(workTree, 'rev-parse', '--show-toplevel')).toBe(workTree);
  expect(git(workTree, 'status', '--porcelain')).toBe('');
});

test('a shallow repository stays shallow', async () => {
  const origin = makeRepository();
  commitFiles(origin, { 'README.md': 'two\n' }, 'second');
  const repository = join(tempDir(), 'shallow');
  git(origin, 'clone', '--quiet', '--depth=1', `file://${origin}`, repository);
  const { workTree } = await makePrivate(repository);
  expect(git(workTree, 'log', '--format=%s')).toBe('second');
});

test('a repository with SHA-256 has private git directories too', async () => {
  const repository = join(tempDir(), 'repo');
  git('/', 'init', '--quiet', '--object-format=sha256', repository);
  commitFiles(repository, { 'a.txt': 'a\n' }, 'first');
  const { workTree, commit } = await makePrivate(repository);
  expect(commit).toHaveLength(64);
  expect(git(workTree, 'status', '--porcelain')).toBe('');
});

test('the description matches every written file, byte for byte', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n' }, join(tempDir(), 'naïve "repo"'));
  writeFiles(repository, { '.git/info/exclude': '*.log\n' });
  const directory = tempDir();
  const request = {
    gitDir: join(directory, 'git'),
    workTree: join(directory, 'tree'),
    commonDir: join(repository, '.git'),
    commit: git(repository, 'rev-parse', 'HEAD'),
  };
  await writePrivateGit(request);
  const described = await describePrivateGit(request);
  expect([...described.keys()].sort()).toEqual(['HEAD', 'config', 'info/exclude', 'objects/info/alternates']);
  for (const [name, text] of described) expect(readFileSync(join(request.gitDir, name), 'latin1')).toBe(text);
  expect(existsSync(join(request.gitDir, 'hooks'))).toBe(false);
});
