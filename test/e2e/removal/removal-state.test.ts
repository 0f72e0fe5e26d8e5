import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../helpers/flavours.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { expectComesBack, expectKept, expectProtected } from '../../helpers/workspace/removal.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

/** Two commits that change the same line: one on `main`, one on the workspace's branch. */
function diverge(fixture: Fixture): void {
  commitFiles(fixture.repository, { 'README.md': 'of main\n' }, 'of main');
  commitFiles(fixture.path, { 'README.md': 'of the workspace\n' }, 'of the workspace');
}

/** For commands that stop half way on purpose. */
function fails(fixture: Fixture, ...args: string[]): void {
  expect(() => fixture.git(...args)).toThrow();
}

test('a merge in progress with conflicts', () => {
  const fixture = makeFixture();
  diverge(fixture);
  fails(fixture, 'merge', 'main');
  const flags = ['--discard-changes', '--discard-commits'];
  expect(fixture.carrel.error(fixture.repository, 'down', 'a', '--discard-commits')).toMatchObject({
    status: 3,
    details: {
      risks: [
        { kind: 'conflicted', items: ['README.md'] },
        { kind: 'in-progress', items: ['merge'] },
      ],
    },
  });
  expectComesBack(fixture, flags);
  expect(readFileSync(join(fixture.path, 'README.md'), 'utf8')).toContain('<<<<<<<');
  writeFiles(fixture.path, { 'README.md': 'settled\n' });
  fixture.git('add', 'README.md');
  fixture.git('commit', '--quiet', '--no-edit');
  expect(fixture.git('rev-parse', 'HEAD^2')).toBe(git(fixture.repository, 'rev-parse', 'main'));
});

thoroughTest('a merge in progress whose result equals HEAD', () => {
  const fixture = makeFixture();
  git(fixture.repository, 'branch', 'other');
  git(fixture.repository, 'commit', '--quiet', '--allow-empty', '-m', 'nothing');
  fixture.git('merge', '--quiet', '--no-ff', '--no-commit', 'main');
  expect(fixture.git('status', '--porcelain')).toBe('');
  expectProtected(fixture, { kind: 'in-progress', names: ['merge'], flag: '--discard-changes' });
});

thoroughTest('a rebase in progress, which can be continued after it came back', () => {
  const fixture = makeFixture();
  diverge(fixture);
  fails(fixture, 'rebase', 'main');
  expectComesBack(fixture, ['--discard-changes', '--discard-commits']);
  writeFiles(fixture.path, { 'README.md': 'settled\n' });
  fixture.git('add', 'README.md');
  fixture.git('-c', 'core.editor=true', 'rebase', '--continue');
  expect(fixture.git('log', '--format=%s', 'carrel/a')).toBe('of the workspace\nof main\nfirst');
  expect(fixture.git('symbolic-ref', 'HEAD')).toBe('refs/heads/carrel/a');
});

thoroughTest('a bisect in progress', () => {
  const fixture = makeFixture();
  for (const text of ['1', '2', '3', '4'])
    commitFiles(fixture.repository, { 'README.md': `${text}\n` }, text);
  fixture.git('reset', '--quiet', '--hard', 'main');
  fixture.git('bisect', 'start', 'HEAD', 'HEAD~4');
  expectProtected(fixture, { kind: 'in-progress', names: ['bisect'], flag: '--discard-changes' });
  expect(fixture.git('bisect', 'good')).toContain('Bisecting');
});

thoroughTest('a branch without a commit yet, with everything staged for its first', () => {
  const fixture = makeFixture();
  fixture.git('checkout', '--quiet', '--orphan', 'fresh');
  const names = ['README.md'];
  expectProtected(fixture, { kind: 'changes', names, flag: '--discard-changes' });
  expect(fixture.git('symbolic-ref', 'HEAD')).toBe('refs/heads/fresh');
});

thoroughTest('a submodule with an edit, and one with its own commit', () => {
  const library = makeRepository({ 'library.txt': 'library\n' });
  const repository = makeRepository();
  const allow = ['-c', 'protocol.file.allow=always'];
  for (const path of ['edited', 'ahead', 'clean'])
    git(repository, ...allow, 'submodule', '--quiet', 'add', library, path);
  commitFiles(repository, {}, 'submodules');
  const fixture = makeFixture({ repository });
  fixture.git(...allow, 'submodule', '--quiet', 'update', '--init');
  writeFiles(join(fixture.path, 'edited'), { 'library.txt': 'edited\n' });
  commitFiles(join(fixture.path, 'ahead'), { 'mine.txt': 'mine\n' }, 'mine');
  const commit = git(join(fixture.path, 'ahead'), 'rev-parse', 'HEAD');
  const [risk] = expectKept(fixture);
  expect(risk).toMatchObject({ kind: 'submodule', flag: '--discard-changes', items: ['edited', 'ahead'] });
  expectKept(fixture, ['--discard-commits']);
  // A clean one is fetched again; a `.git` of the others is a directory now, which is the one difference.
  expectComesBack(fixture, ['--discard-changes'], path => !/^clean\/|^(edited|ahead)\/\.git/.test(path));
  expect(git(join(fixture.path, 'ahead'), 'rev-parse', 'HEAD')).toBe(commit);
  expect(git(join(fixture.path, 'edited'), 'status', '--porcelain')).toBe(' M library.txt');
});

thoroughTest('files in the directory of a submodule that is not checked out', () => {
  const library = makeRepository({ 'library.txt': 'library\n' });
  const repository = makeRepository();
  git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'library');
  commitFiles(repository, {}, 'submodule');
  const fixture = makeFixture({ repository });
  mkdirSync(join(fixture.path, 'library'), { recursive: true });
  writeFiles(fixture.path, { 'library/mine.txt': 'mine\n' });
  expect(fixture.git('status', '--porcelain')).toBe('');
  expectProtected(fixture, { kind: 'untracked', names: ['library/mine.txt'], flag: '--discard-changes' });
});
