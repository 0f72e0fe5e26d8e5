import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { thoroughTest } from '../helpers/flavours.js';
import { expectComesBack, expectKept, expectProtected } from '../helpers/removal.js';
import { commitFiles, git, makeRepository, writeFiles } from '../helpers/repository.js';

/** Two commits that change the same line: one on `main`, one on the workspace's branch. */
function diverge(desk: Desk): void {
  commitFiles(desk.repository, { 'README.md': 'of main\n' }, 'of main');
  commitFiles(desk.path, { 'README.md': 'of the workspace\n' }, 'of the workspace');
}

/** For commands that stop half way on purpose. */
function fails(desk: Desk, ...args: string[]): void {
  expect(() => desk.git(...args)).toThrow();
}

test('a merge in progress with conflicts', () => {
  const desk = makeDesk();
  diverge(desk);
  fails(desk, 'merge', 'main');
  const flags = ['--discard-changes', '--discard-commits'];
  expect(desk.carrel.error(desk.repository, 'down', 'a', '--discard-commits')).toMatchObject({
    status: 3,
    details: {
      risks: [
        { kind: 'conflicted', items: ['README.md'] },
        { kind: 'in-progress', items: ['merge'] },
      ],
    },
  });
  expectComesBack(desk, flags);
  expect(readFileSync(join(desk.path, 'README.md'), 'utf8')).toContain('<<<<<<<');
  writeFiles(desk.path, { 'README.md': 'settled\n' });
  desk.git('add', 'README.md');
  desk.git('commit', '--quiet', '--no-edit');
  expect(desk.git('rev-parse', 'HEAD^2')).toBe(git(desk.repository, 'rev-parse', 'main'));
});

thoroughTest('a merge in progress whose result is what was there before', () => {
  const desk = makeDesk();
  git(desk.repository, 'branch', 'other');
  git(desk.repository, 'commit', '--quiet', '--allow-empty', '-m', 'nothing');
  desk.git('merge', '--quiet', '--no-ff', '--no-commit', 'main');
  expect(desk.git('status', '--porcelain')).toBe('');
  expectProtected(desk, { kind: 'in-progress', names: ['merge'], flag: '--discard-changes' });
});

test('a rebase in progress, which can be continued after it came back', () => {
  const desk = makeDesk();
  diverge(desk);
  fails(desk, 'rebase', 'main');
  expectComesBack(desk, ['--discard-changes', '--discard-commits']);
  writeFiles(desk.path, { 'README.md': 'settled\n' });
  desk.git('add', 'README.md');
  desk.git('-c', 'core.editor=true', 'rebase', '--continue');
  expect(desk.git('log', '--format=%s', 'carrel/a')).toBe('of the workspace\nof main\nfirst');
  expect(desk.git('symbolic-ref', 'HEAD')).toBe('refs/heads/carrel/a');
});

thoroughTest('a bisect in progress', () => {
  const desk = makeDesk();
  for (const text of ['1', '2', '3', '4']) commitFiles(desk.repository, { 'README.md': `${text}\n` }, text);
  desk.git('reset', '--quiet', '--hard', 'main');
  desk.git('bisect', 'start', 'HEAD', 'HEAD~4');
  expectProtected(desk, { kind: 'in-progress', names: ['bisect'], flag: '--discard-changes' });
  expect(desk.git('bisect', 'good')).toContain('Bisecting');
});

test('a branch without a commit yet, with everything staged for its first', () => {
  const desk = makeDesk();
  desk.git('checkout', '--quiet', '--orphan', 'fresh');
  const names = ['README.md'];
  expectProtected(desk, { kind: 'changes', names, flag: '--discard-changes' });
  expect(desk.git('symbolic-ref', 'HEAD')).toBe('refs/heads/fresh');
});

thoroughTest('a submodule with an edit, and one with a commit of its own', () => {
  const library = makeRepository({ 'library.txt': 'library\n' });
  const repository = makeRepository();
  const allow = ['-c', 'protocol.file.allow=always'];
  for (const path of ['edited', 'ahead', 'clean'])
    git(repository, ...allow, 'submodule', '--quiet', 'add', library, path);
  commitFiles(repository, {}, 'submodules');
  const desk = makeDesk({ repository });
  desk.git(...allow, 'submodule', '--quiet', 'update', '--init');
  writeFiles(join(desk.path, 'edited'), { 'library.txt': 'edited\n' });
  commitFiles(join(desk.path, 'ahead'), { 'mine.txt': 'mine\n' }, 'mine');
  const commit = git(join(desk.path, 'ahead'), 'rev-parse', 'HEAD');
  const [risk] = expectKept(desk);
  expect(risk).toMatchObject({ kind: 'submodule', flag: '--discard-changes', items: ['edited', 'ahead'] });
  expectKept(desk, ['--discard-commits']);
  // A clean one is fetched again; a `.git` of the others is a directory now, which is the one difference.
  expectComesBack(desk, ['--discard-changes'], path => !/^clean\/|^(edited|ahead)\/\.git/.test(path));
  expect(git(join(desk.path, 'ahead'), 'rev-parse', 'HEAD')).toBe(commit);
  expect(git(join(desk.path, 'edited'), 'status', '--porcelain')).toBe(' M library.txt');
});

test('files in the directory of a submodule that is not checked out', () => {
  const library = makeRepository({ 'library.txt': 'library\n' });
  const repository = makeRepository();
  git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'library');
  commitFiles(repository, {}, 'submodule');
  const desk = makeDesk({ repository });
  mkdirSync(join(desk.path, 'library'), { recursive: true });
  writeFiles(desk.path, { 'library/mine.txt': 'mine\n' });
  expect(desk.git('status', '--porcelain')).toBe('');
  expectProtected(desk, { kind: 'untracked', names: ['library/mine.txt'], flag: '--discard-changes' });
});
