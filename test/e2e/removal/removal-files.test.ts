import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import { listFiles } from '../../helpers/git/round-trip.js';
import { editUnseen } from '../../helpers/git/unseen-edit.js';
import { commitFiles, git, writeFiles } from '../../helpers/repository.js';
import {
  expectComesBack,
  expectGone,
  expectKept,
  expectProtected,
  normalize,
} from '../../helpers/workspace/removal.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

test('a new file keeps the workspace and is named; when discarded, it can be restored', () => {
  const fixture = makeFixture();
  const refused = fixture.type(fixture.repository, 'echo x > "$(carrel path a)/new.txt" && carrel down a');
  expect(refused.status).toBe(3);
  expect(normalize(fixture, refused)).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      untracked files: new.txt
    hint: carrel down a --discard-changes"
  `);
  const back = fixture.type(
    fixture.repository,
    'carrel down a --discard-changes && carrel restore a > /dev/null && cat "$(carrel path a)/new.txt"',
  );
  expect(back).toMatchObject({ status: 0, stdout: 'x\n' });
});

thoroughTest('an edit of a tracked file', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'source/one.txt': 'edited\n' });
  expectProtected(fixture, { kind: 'changes', names: ['source/one.txt'], flag: '--discard-changes' });
});

thoroughTest(
  'an edit that keeps size and time of a file, with a git configured to check nothing else',
  async () => {
    const fixture = makeFixture();
    const file = join(fixture.path, 'source/one.txt');
    git(fixture.repository, 'config', 'core.trustctime', 'false');
    git(fixture.repository, 'config', 'core.checkStat', 'minimal');
    utimesSync(file, 1_000_000_000, 1_000_000_000);
    fixture.git('status');
    const { atime, mtime, ctimeMs } = statSync(file);
    // Most builds of git compare times by the second: then only the second of the change itself shows it.
    await vi.waitUntil(() => Date.now() - ctimeMs > 1000, { timeout: 5000 });
    writeFileSync(file, 'One\n');
    utimesSync(file, atime, mtime);
    expectUnseenEditComesBack(fixture, 'source/one.txt');
  },
);

test('an edit that keeps size and time of a file, within the second of its checkout', () => {
  const fixture = makeFixture();
  editUnseen(fixture.path, 'source/one.txt', 'One\n');
  expect(fixture.ok('diff', 'a')).toContain('+One');
  expect(JSON.parse(fixture.ok('show', 'a', '--json'))).toMatchObject({ changes: { unstaged: 1 } });
  expect(JSON.parse(fixture.run('land', 'a', '--json').stdout).error.code).toBe('LAND_UNCOMMITTED');
  expectUnseenEditComesBack(fixture, 'source/one.txt');
});

thoroughTest('such an edit is committed by land and not overwritten in the checkout that follows', () => {
  const fixture = makeFixture();
  editUnseen(fixture.path, 'source/one.txt', 'One\n');
  fixture.ok('land', 'a', '--message', 'one');
  expect(git(fixture.repository, 'show', 'HEAD:source/one.txt')).toBe('One');
  fixture.ok('up', 'b');
  const other = fixture.ok('path', 'b').trim();
  commitFiles(other, { 'source/one.txt': 'two\n' });
  editUnseen(fixture.repository, 'source/one.txt', 'ONE\n');
  fixture.run('land', 'b');
  expect(readFileSync(join(fixture.repository, 'source/one.txt'), 'utf8')).toBe('ONE\n');
});

/** git's own look at it changes by restoring, which makes the edit visible; the files do not. */
function expectUnseenEditComesBack(fixture: Fixture, name: string): void {
  expect(fixture.git('status', '--porcelain')).toBe('');
  expect(expectKept(fixture, ['--discard-commits'])).toMatchObject([{ kind: 'changes', items: [name] }]);
  const files = listFiles(fixture.path);
  expectGone(fixture, ['--discard-changes']);
  fixture.ok('restore', 'a');
  expect(listFiles(fixture.path)).toEqual(files);
}

thoroughTest('a file made by hand in a tool directory is reported as not restorable', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'node_modules/notes.txt': 'by hand\n' });
  expect(fixture.run('down', 'a').stderr).toMatch(
    /restore snap_\w+; not in the snapshot: node_modules \(8 B\)\n$/,
  );
  fixture.ok('up', 'b');
  writeFiles(fixture.ok('path', 'b').trim(), { 'node_modules/notes.txt': 'by hand\n' });
  const removed = JSON.parse(fixture.ok('down', 'b', '--json'));
  expect(removed.omitted).toEqual([{ path: 'node_modules', bytes: 8, reason: 'tools can recreate it' }]);
});

thoroughTest('a deleted file and a bit that makes a file executable', () => {
  const fixture = makeFixture();
  rmSync(join(fixture.path, 'source/two.txt'));
  chmodSync(join(fixture.path, 'source/one.txt'), 0o755);
  const names = ['source/one.txt', 'source/two.txt'];
  expectProtected(fixture, { kind: 'changes', names, flag: '--discard-changes' });
});

thoroughTest('a staged change whose file reads as before', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'README.md': 'staged\n' });
  fixture.git('add', 'README.md');
  writeFiles(fixture.path, { 'README.md': 'hello\n' });
  expectProtected(fixture, { kind: 'changes', names: ['README.md'], flag: '--discard-changes' });
});

thoroughTest('a staged deletion, a staged new file and an added intent', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'staged.txt': 'staged\n', 'intent.txt': 'intent\n' });
  fixture.git('add', 'staged.txt');
  fixture.git('add', '--intent-to-add', 'intent.txt');
  fixture.git('rm', '--quiet', 'source/two.txt');
  const names = ['staged.txt', 'source/two.txt', 'intent.txt'];
  expectProtected(fixture, { kind: 'changes', names, flag: '--discard-changes' });
});

thoroughTest('an untracked file, even if status.showUntrackedFiles=no hides it', () => {
  const fixture = makeFixture();
  git(fixture.repository, 'config', 'status.showUntrackedFiles', 'no');
  writeFiles(fixture.path, { 'deep/down/new.txt': 'x\n' });
  expect(fixture.git('status', '--porcelain')).toBe('');
  expectProtected(fixture, { kind: 'untracked', names: ['deep/down/new.txt'], flag: '--discard-changes' });
});

thoroughTest(
  'untracked files with unusual names, links, modes, binary content, and an empty directory',
  () => {
    const fixture = makeFixture();
    const odd = ['-rf', 'a b', 'quote"\n', 'tab\t', 'ü', 'back\\slash', ':(glob)*', '%2e', 'git~1x'];
    writeFiles(fixture.path, Object.fromEntries(odd.map(name => [name, `${name}\n`])));
    writeFileSync(Buffer.concat([Buffer.from(`${fixture.path}/latin`), Buffer.from([0xe9])]), 'bytes\n');
    writeFileSync(join(fixture.path, 'binary'), Buffer.from([0, 13, 10, 255, 0]));
    writeFileSync(join(fixture.path, 'secret'), 'secret\n', { mode: 0o600 });
    symlinkSync('/nowhere/at all', join(fixture.path, 'dangling'));
    symlinkSync('source', join(fixture.path, 'to-directory'));
    mkdirSync(join(fixture.path, 'empty/inside'), { recursive: true, mode: 0o700 });
    const names = ['-rf', 'and 11 more'];
    expectProtected(fixture, { kind: 'untracked', names, flag: '--discard-changes' });
  },
);

thoroughTest('an edit of a file marked assume-unchanged', () => {
  const fixture = makeFixture();
  fixture.git('update-index', '--assume-unchanged', 'README.md');
  writeFiles(fixture.path, { 'README.md': 'hidden\n' });
  expect(fixture.git('status', '--porcelain')).toBe('');
  expectProtected(fixture, { kind: 'hidden-changes', names: ['README.md'], flag: '--discard-changes' });
});

thoroughTest('an edit of a file that git ignores (skip-worktree)', () => {
  const fixture = makeFixture();
  fixture.git('update-index', '--skip-worktree', 'README.md');
  writeFiles(fixture.path, { 'README.md': 'hidden\n' });
  expect(fixture.git('status', '--porcelain')).toBe('');
  expectProtected(fixture, { kind: 'hidden-changes', names: ['README.md'], flag: '--discard-changes' });
});

thoroughTest('an edit that a file system monitor keeps silent about', () => {
  const fixture = makeFixture();
  const silent = join(fixture.carrel.home, 'silent');
  writeFileSync(silent, "#!/bin/sh\nprintf 'token\\0'\n", { mode: 0o755 });
  git(fixture.repository, 'config', 'core.fsmonitor', silent);
  fixture.git('update-index', '--fsmonitor');
  fixture.git('status');
  writeFiles(fixture.path, { 'README.md': 'hidden\n' });
  expectUnseenEditComesBack(fixture, 'README.md');
});

thoroughTest('ignored files alone do not keep the workspace, and are restored', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, {
    'a.log': 'log\n',
    'source/deep/b.log': 'log\n',
    'node_modules/x/index.js': '1\n',
  });
  chmodSync(join(fixture.path, 'a.log'), 0o400);
  // What tools make again is left out, and the snapshot says so.
  expectComesBack(fixture, [], path => !path.startsWith('node_modules'));
  const [snapshot] = fixture.carrel.json<Snapshot[]>(fixture.repository, 'snapshots', 'a');
  expect(snapshot?.omitted).toMatchObject([{ path: 'node_modules', reason: 'tools can recreate it' }]);
});

thoroughTest('ignored files beyond the limit of a snapshot', () => {
  const fixture = makeFixture({ config: 'snapshots:\n  ignoredLimit: 1k\n' });
  writeFiles(fixture.path, { 'small.log': 'small\n', 'large.log': 'x'.repeat(2000) });
  const left = (path: string) => path !== 'large.log';
  expectProtected(fixture, { kind: 'large-ignored', names: ['large.log'], flag: '--discard-changes', left });
  const [snapshot] = fixture.carrel.json<Snapshot[]>(fixture.repository, 'snapshots', 'a');
  expect(snapshot?.omitted).toMatchObject([{ path: 'large.log', bytes: 2000 }]);
});

thoroughTest('a nested repository, ignored or not, with its complete state', () => {
  const fixture = makeFixture();
  for (const path of ['vendor/library', 'cache.log']) {
    const nested = join(fixture.path, path);
    mkdirSync(nested, { recursive: true });
    git(nested, 'init', '--quiet', '--initial-branch=main');
    commitFiles(nested, { 'file.txt': 'committed\n' });
    writeFiles(nested, { 'file.txt': 'edited\n', 'new.txt': 'new\n' });
  }
  const names = ['vendor/library', 'cache.log'];
  expectProtected(fixture, { kind: 'nested-repository', names, flag: '--discard-changes' });
  expect(git(join(fixture.path, 'vendor/library'), 'status', '--porcelain')).toBe(' M file.txt\n?? new.txt');
});

test.each(flavours(['that git ignores', 'node_modules'], ['that git does not ignore', 'target']))(
  'a nested repository in a directory of the kind that tools make again, %s',
  (_, directory) => {
    const fixture = makeFixture();
    const nested = join(fixture.path, directory, 'library');
    mkdirSync(nested, { recursive: true });
    git(nested, 'init', '--quiet', '--initial-branch=main');
    commitFiles(nested, { 'file.txt': 'committed\n' });
    const names = [`${directory}/library`];
    expectProtected(fixture, { kind: 'nested-repository', names, flag: '--discard-changes' });
  },
);

thoroughTest('a named pipe is not work and blocks nothing', () => {
  const fixture = makeFixture();
  fixture.ok('exec', 'a', '--', 'mkfifo', 'pipe');
  expectComesBack(fixture, [], path => path !== 'pipe');
});

thoroughTest(
  'several kinds at once: each is named with its own flag, and all of the flags are needed',
  () => {
    const fixture = makeFixture();
    commitFiles(fixture.path, { 'done.txt': 'done\n' }, 'work that is done');
    writeFiles(fixture.path, { 'README.md': 'edited\n', 'new.txt': 'x\n' });
    const refused = fixture.run('down', 'a');
    expect(refused.status).toBe(3);
    expect(normalize(fixture, refused)).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      uncommitted changes in README.md
      untracked files: new.txt
      1 commit not landed: <short> work that is done
    hint: carrel down a --discard-changes --discard-commits"
  `);
    expect(expectKept(fixture, ['--discard-changes'])).toMatchObject([{ kind: 'commits' }]);
    expect(fixture.run('down', 'a', '--discard-commits').status).toBe(3);
    expectComesBack(fixture, ['--discard-changes', '--discard-commits']);
  },
);
