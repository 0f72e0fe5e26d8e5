import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Snapshot } from '../../src/domain/snapshot.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { thoroughTest } from '../helpers/flavours.js';
import { expectComesBack, expectGone, expectKept, expectProtected, normalize } from '../helpers/removal.js';
import { commitFiles, git, writeFiles } from '../helpers/repository.js';
import { listFiles } from '../helpers/round-trip.js';

test('a new file keeps the workspace and is named; given up, it comes back', () => {
  const desk = makeDesk();
  const refused = desk.type(desk.repository, 'echo x > "$(carrel path a)/new.txt" && carrel down a');
  expect(refused.status).toBe(3);
  expect(normalize(desk, refused)).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      untracked files: new.txt
    hint: carrel down a --discard-changes"
  `);
  const back = desk.type(
    desk.repository,
    'carrel down a --discard-changes && carrel restore a > /dev/null && cat "$(carrel path a)/new.txt"',
  );
  expect(back).toMatchObject({ status: 0, stdout: 'x\n' });
});

thoroughTest('an edit of a tracked file', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'source/one.txt': 'edited\n' });
  expectProtected(desk, { kind: 'changes', names: ['source/one.txt'], flag: '--discard-changes' });
});

test('an edit that keeps size and time of a file, with a git that is told to look at nothing else', async () => {
  const desk = makeDesk();
  const file = join(desk.path, 'source/one.txt');
  git(desk.repository, 'config', 'core.trustctime', 'false');
  git(desk.repository, 'config', 'core.checkStat', 'minimal');
  utimesSync(file, 1_000_000_000, 1_000_000_000);
  desk.git('status');
  const { atime, mtime, ctimeMs } = statSync(file);
  // Most builds of git compare times by the second: the one thing that tells is then the second of the change itself.
  await vi.waitUntil(() => Date.now() - ctimeMs > 1000, { timeout: 5000 });
  writeFileSync(file, 'One\n');
  utimesSync(file, atime, mtime);
  expectUnseenEditComesBack(desk, 'source/one.txt');
});

/** git's own look at it changes by restoring, which makes the edit visible; the files do not. */
function expectUnseenEditComesBack(desk: Desk, name: string): void {
  expect(desk.git('status', '--porcelain')).toBe('');
  expect(expectKept(desk, ['--discard-commits'])).toMatchObject([{ kind: 'changes', items: [name] }]);
  const files = listFiles(desk.path);
  expectGone(desk, ['--discard-changes']);
  desk.ok('restore', 'a');
  expect(listFiles(desk.path)).toEqual(files);
}

thoroughTest('a deleted file and a bit that makes a file executable', () => {
  const desk = makeDesk();
  rmSync(join(desk.path, 'source/two.txt'));
  chmodSync(join(desk.path, 'source/one.txt'), 0o755);
  const names = ['source/one.txt', 'source/two.txt'];
  expectProtected(desk, { kind: 'changes', names, flag: '--discard-changes' });
});

test('a staged change whose file reads as before', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'README.md': 'staged\n' });
  desk.git('add', 'README.md');
  writeFiles(desk.path, { 'README.md': 'hello\n' });
  expectProtected(desk, { kind: 'changes', names: ['README.md'], flag: '--discard-changes' });
});

thoroughTest('a staged deletion, a staged new file and an added intent', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'staged.txt': 'staged\n', 'intent.txt': 'intent\n' });
  desk.git('add', 'staged.txt');
  desk.git('add', '--intent-to-add', 'intent.txt');
  desk.git('rm', '--quiet', 'source/two.txt');
  const names = ['staged.txt', 'source/two.txt', 'intent.txt'];
  expectProtected(desk, { kind: 'changes', names, flag: '--discard-changes' });
});

test('an untracked file, also when status.showUntrackedFiles=no hides it', () => {
  const desk = makeDesk();
  git(desk.repository, 'config', 'status.showUntrackedFiles', 'no');
  writeFiles(desk.path, { 'deep/down/new.txt': 'x\n' });
  expect(desk.git('status', '--porcelain')).toBe('');
  expectProtected(desk, { kind: 'untracked', names: ['deep/down/new.txt'], flag: '--discard-changes' });
});

thoroughTest(
  'untracked things that are hard to hold: odd names, links, modes, binaries, an empty directory',
  () => {
    const desk = makeDesk();
    const odd = ['-rf', 'a b', 'quote"\n', 'tab\t', 'ü', 'back\\slash', ':(glob)*', '%2e', 'git~1x'];
    writeFiles(desk.path, Object.fromEntries(odd.map(name => [name, `${name}\n`])));
    writeFileSync(Buffer.concat([Buffer.from(`${desk.path}/latin`), Buffer.from([0xe9])]), 'bytes\n');
    writeFileSync(join(desk.path, 'binary'), Buffer.from([0, 13, 10, 255, 0]));
    writeFileSync(join(desk.path, 'secret'), 'secret\n', { mode: 0o600 });
    symlinkSync('/nowhere/at all', join(desk.path, 'dangling'));
    symlinkSync('source', join(desk.path, 'to-directory'));
    mkdirSync(join(desk.path, 'empty/inside'), { recursive: true, mode: 0o700 });
    const names = ['-rf', 'and 11 more'];
    expectProtected(desk, { kind: 'untracked', names, flag: '--discard-changes' });
  },
);

test('an edit of a file that git was told to assume unchanged', () => {
  const desk = makeDesk();
  desk.git('update-index', '--assume-unchanged', 'README.md');
  writeFiles(desk.path, { 'README.md': 'hidden\n' });
  expect(desk.git('status', '--porcelain')).toBe('');
  expectProtected(desk, { kind: 'hidden-changes', names: ['README.md'], flag: '--discard-changes' });
});

thoroughTest('an edit of a file outside of what git looks at (skip-worktree)', () => {
  const desk = makeDesk();
  desk.git('update-index', '--skip-worktree', 'README.md');
  writeFiles(desk.path, { 'README.md': 'hidden\n' });
  expect(desk.git('status', '--porcelain')).toBe('');
  expectProtected(desk, { kind: 'hidden-changes', names: ['README.md'], flag: '--discard-changes' });
});

test('an edit that a file system monitor keeps silent about', () => {
  const desk = makeDesk();
  const silent = join(desk.carrel.home, 'silent');
  writeFileSync(silent, "#!/bin/sh\nprintf 'token\\0'\n", { mode: 0o755 });
  git(desk.repository, 'config', 'core.fsmonitor', silent);
  desk.git('update-index', '--fsmonitor');
  desk.git('status');
  writeFiles(desk.path, { 'README.md': 'hidden\n' });
  expectUnseenEditComesBack(desk, 'README.md');
});

thoroughTest('ignored files alone do not keep it, and come back', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'a.log': 'log\n', 'source/deep/b.log': 'log\n', 'node_modules/x/index.js': '1\n' });
  chmodSync(join(desk.path, 'a.log'), 0o400);
  // What tools make again is left out, and the snapshot says so.
  expectComesBack(desk, [], path => !path.startsWith('node_modules'));
  const [snapshot] = desk.carrel.json<Snapshot[]>(desk.repository, 'snapshots', 'a');
  expect(snapshot?.omitted).toMatchObject([{ path: 'node_modules', reason: 'tools make it again' }]);
});

test('ignored files beyond the limit of a snapshot', () => {
  const desk = makeDesk({ config: 'snapshots:\n  ignoredLimit: 1k\n' });
  writeFiles(desk.path, { 'small.log': 'small\n', 'large.log': 'x'.repeat(2000) });
  const left = (path: string) => path !== 'large.log';
  expectProtected(desk, { kind: 'large-ignored', names: ['large.log'], flag: '--discard-changes', left });
  const [snapshot] = desk.carrel.json<Snapshot[]>(desk.repository, 'snapshots', 'a');
  expect(snapshot?.omitted).toMatchObject([{ path: 'large.log', bytes: 2000 }]);
});

thoroughTest('a nested repository, ignored or not, with all of its own state', () => {
  const desk = makeDesk();
  for (const path of ['vendor/library', 'cache.log']) {
    const nested = join(desk.path, path);
    mkdirSync(nested, { recursive: true });
    git(nested, 'init', '--quiet', '--initial-branch=main');
    commitFiles(nested, { 'file.txt': 'committed\n' });
    writeFiles(nested, { 'file.txt': 'edited\n', 'new.txt': 'new\n' });
  }
  const names = ['vendor/library', 'cache.log'];
  expectProtected(desk, { kind: 'nested-repository', names, flag: '--discard-changes' });
  expect(git(join(desk.path, 'vendor/library'), 'status', '--porcelain')).toBe(' M file.txt\n?? new.txt');
});

test.each([
  ['that git ignores', 'node_modules'],
  ['that git does not ignore', 'target'],
])('a nested repository in a directory of the kind that tools make again, %s', (_, directory) => {
  const desk = makeDesk();
  const nested = join(desk.path, directory, 'library');
  mkdirSync(nested, { recursive: true });
  git(nested, 'init', '--quiet', '--initial-branch=main');
  commitFiles(nested, { 'file.txt': 'committed\n' });
  const names = [`${directory}/library`];
  expectProtected(desk, { kind: 'nested-repository', names, flag: '--discard-changes' });
});

test('a named pipe is nobody’s work and stops nothing', () => {
  const desk = makeDesk();
  desk.ok('exec', 'a', '--', 'mkfifo', 'pipe');
  expectComesBack(desk, [], path => path !== 'pipe');
});

thoroughTest(
  'several kinds at once: each is named with its own flag, and all of the flags are needed',
  () => {
    const desk = makeDesk();
    commitFiles(desk.path, { 'done.txt': 'done\n' }, 'work that is done');
    writeFiles(desk.path, { 'README.md': 'edited\n', 'new.txt': 'x\n' });
    const refused = desk.run('down', 'a');
    expect(refused.status).toBe(3);
    expect(normalize(desk, refused)).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      uncommitted changes in README.md
      untracked files: new.txt
      1 commit(s) that are not landed: <short> work that is done
    hint: carrel down a --discard-changes --discard-commits"
  `);
    expect(expectKept(desk, ['--discard-changes'])).toMatchObject([{ kind: 'commits' }]);
    expect(desk.run('down', 'a', '--discard-commits').status).toBe(3);
    expectComesBack(desk, ['--discard-changes', '--discard-commits']);
  },
);
