import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeTouchyRepository } from '../../helpers/git/touchy-repository.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

/** Runs commands in the repository; after each of them nothing of the user's has changed and none of his programs ran. */
function watchOver(repository = makeTouchyRepository()) {
  const carrel = createTidyCarrel();
  const before = fingerprint(repository.path);
  repository.takeMarks();
  const check = (command: string) => {
    expect(repository.takeMarks(), `programs that ran in: carrel ${command}`).toEqual([]);
    expect(fingerprint(repository.path), `carrel ${command}`).toEqual(before);
  };
  const run = (status: number, ...args: string[]): string => {
    const outcome = carrel.run(repository.path, ...args);
    expect(outcome, `carrel ${args.join(' ')}\n${outcome.stderr}`).toMatchObject({ status });
    check(args.join(' '));
    return outcome.stdout.trimEnd();
  };
  return { repository: repository.path, carrel, run, check };
}

/** git as the user would run it when he wants none of his programs. */
const quietGit = (path: string, ...args: string[]) =>
  git(
    path,
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'core.fsmonitor=false',
    '-c',
    'commit.gpgSign=false',
    ...args,
  );

test('making workspaces in every form leaves the repository alone', () => {
  const { repository, run } = watchOver();
  const directory = tempDir();
  writeFiles(directory, { 'file.txt': 'file\n' });
  run(0, 'up', 'plain');
  run(0, 'up');
  run(0, 'up', 'based', '--base', 'v1', '--branch', 'carrel/topic');
  run(0, 'up', 'templated', '--template', 'shell', '--no-setup');
  run(0, 'up', 'shared', '--isolation', 'shared');
  run(0, 'up', 'direct', '--workspace', repository);
  run(0, 'up', 'repo', '--repo', repository);
  run(0, 'up', 'worktree', '--git-worktree', repository);
  run(0, 'up', 'copy', '--copy', repository);
  run(2, 'up', 'plain');
  run(2, 'up', '../out');
  run(0, 'worktrees', 'remove', 'plain');
  run(0, 'down', 'shared');
  run(0, 'down', 'direct');
  run(0, 'down', 'copy');
}, 120_000);

test('a workspace in a sandbox, with a commit inside, leaves the repository alone', context => {
  requireBubblewrap(context);
  const { run } = watchOver();
  run(0, 'up', 'sandboxed', '--isolation', 'full');
  run(0, 'exec', 'sandboxed', '--', 'git', 'commit', '--allow-empty', '--message', 'inside');
});

test('looking at workspaces and working in them leaves the repository alone', () => {
  const { run } = watchOver();
  const path = run(0, 'up', 'a');
  writeFiles(path, { 'README.md': 'edited\n', 'new.txt': 'new\n', 'a.log': 'log\n' });
  run(0, 'up', 'shared', '--isolation', 'shared');
  run(0, 'ls');
  run(0, 'ps', '--all', '--json');
  run(0, 'worktrees', 'list');
  run(0, 'show', 'a');
  run(0, 'path', 'a');
  run(0, 'exec', 'a', '--', 'true');
  run(0, 'diff', 'a');
  run(0, 'diff', 'a', '--stat');
  run(0, 'diff', 'shared');
  run(0, 'config', 'show', '--origin');
  run(0, 'doctor');
  run(0, 'trust', '--list');
  run(0, 'schema', 'workspace');
  run(0, 'completion', 'bash');
}, 120_000);

test('keeping, giving up, restoring and tidying leaves the repository alone', () => {
  const { repository, run, check } = watchOver();
  const path = run(0, 'up', 'a');
  writeFiles(path, { 'README.md': 'edited\n', 'new.txt': 'new\n', 'a.log': 'log\n' });
  quietGit(path, 'add', 'new.txt');
  quietGit(path, 'commit', '--quiet', '-m', 'of the workspace');
  check('(a commit in the workspace)');
  run(0, 'snapshot', 'a', '-m', 'kept');
  run(0, 'snapshots');
  run(3, 'down', 'a');
  run(0, 'down', 'a', '--discard-changes', '--discard-commits');
  run(0, 'restore', 'a');
  run(0, 'restore', 'a', '--as', 'b');
  run(0, 'up', 'shared', '--isolation', 'shared');
  run(0, 'snapshot', 'shared');
  // Everything that lies about in the user's own checkout comes back beside it.
  const copy = run(0, 'restore', 'shared', '--as', 'copy');
  expect(readFileSync(join(copy, 'new.txt'), 'utf8')).toBe('new\n');
  expect(readFileSync(join(copy, 'debug.log'), 'utf8')).toBe('log\n');
  expect(existsSync(join(copy, 'source/two.txt'))).toBe(false);
  expect(quietGit(copy, 'status', '--porcelain', '--untracked-files=all')).toBe(
    quietGit(repository, '--no-optional-locks', 'status', '--porcelain', '--untracked-files=all'),
  );
  run(0, 'gc', '--older-than', '0s');
  run(0, 'gc', '--older-than', '0s', '--yes');
  run(0, 'worktrees', 'cleanup', '--older-than', '0s', '--yes');
}, 120_000);

test('called from a hook, with git’s own variables set, it still works on the right repository', () => {
  const { repository, carrel, check } = watchOver();
  const decoy = makeRepository();
  const before = fingerprint(decoy);
  const variables = {
    GIT_DIR: join(decoy, '.git'),
    GIT_WORK_TREE: decoy,
    GIT_INDEX_FILE: join(decoy, '.git/index'),
    GIT_OBJECT_DIRECTORY: join(decoy, '.git/objects'),
    GIT_PREFIX: 'sub/',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: join(repository, '.git/hooks'),
  };
  for (const args of [
    ['up', 'a'],
    ['diff', 'a'],
    ['down', 'a'],
    ['restore', 'a'],
  ]) {
    const outcome = carrel.runWith(variables, repository, ...args);
    expect(outcome, outcome.stderr).toMatchObject({ status: 0 });
    check(args.join(' '));
  }
  expect(fingerprint(decoy)).toEqual(before);
  expect(carrel.json(repository, 'ls')).toMatchObject([{ name: 'a', repository }]);
});

thoroughTest(
  'a landing that is refused leaves the repository alone',
  () => {
    const { run } = watchOver();
    const path = run(0, 'up', 'a');
    writeFiles(path, { 'README.md': 'edited\n' });
    run(3, 'land', 'a');
    run(3, 'land', 'a', '-m', 'over the changes of the user');
    run(3, 'land', 'a', '--squash');
  },
  120_000,
);

test('setting up writes its own files and nothing else, and never twice', () => {
  const repository = makeTouchyRepository();
  const carrel = createTidyCarrel();
  const before = fingerprint(repository.path);
  repository.takeMarks();
  carrel.ok(repository.path, 'init');
  expect(repository.takeMarks()).toEqual([]);
  const after = fingerprint(repository.path);
  expect(existsSync(join(repository.path, '.carrel/config.yaml'))).toBe(true);
  expect({ ...after, files: '', status: '' }).toEqual({ ...before, files: '', status: '' });
  carrel.ok(repository.path, 'init');
  expect(fingerprint(repository.path)).toEqual(after);
});

test('the marks that the tests above look for are left by git itself', () => {
  const repository = makeTouchyRepository();
  repository.takeMarks();
  expect(() => git(repository.path, 'commit', '-m', 'no')).toThrow();
  expect(repository.takeMarks()).toEqual(expect.arrayContaining(['core.fsmonitor', 'pre-commit']));
  expect(() => git(repository.path, 'diff')).toThrow();
  expect(repository.takeMarks()).toContain('diff.external');
});
