import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { addWorktree, expectRoundTrip, placeOf } from '../../../../test/helpers/git/round-trip.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';

test('a clean work tree is restored and its snapshot adds nothing', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'dir/b.txt': 'b\n' });
  const { captured } = await expectRoundTrip(repository, addWorktree(repository));
  expect(captured).toMatchObject({ files: 0, omitted: [] });
});

test('edits, staged and unstaged, deletions, renames and new files are restored', async () => {
  const repository = makeRepository({
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    'd/e/f.txt': 'f\n',
    'g.txt': 'g\n',
  });
  const work = addWorktree(repository);
  writeFiles(work, { 'a.txt': 'staged\n', 'new/staged.txt': 'new\n' });
  git(work, 'add', '--all');
  writeFiles(work, {
    'a.txt': 'staged, then edited\n',
    'b.txt': 'edited\n',
    'new/untracked.txt': 'untracked\n',
  });
  git(work, 'rm', '--quiet', 'c.txt');
  rmSync(join(work, 'd'), { recursive: true });
  renameSync(join(work, 'g.txt'), join(work, 'h.txt'));
  const { captured, meta } = await expectRoundTrip(repository, work);
  expect(git(repository, 'diff', '--no-renames', '--name-status', 'main', captured.commit)).toBe(
    'M\ta.txt\nM\tb.txt\nD\tc.txt\nD\td/e/f.txt\nD\tg.txt\nA\th.txt\nA\tnew/staged.txt\nA\tnew/untracked.txt',
  );
  expect(meta.head).toEqual({
    ref: 'refs/heads/carrel/work',
    branch: 'carrel/work',
    commit: git(repository, 'rev-parse', 'main'),
  });
});

thoroughTest('an edit of the same size in the second of the last refresh is seen later', async () => {
  const repository = makeRepository({ 'a.txt': '0000\n' });
  const work = addWorktree(repository);
  const file = join(work, 'a.txt');
  const second = (path: string) => Math.floor(statSync(path).ctimeMs / 1000);
  const seconds = () => [file, join(placeOf(work).gitDir, 'index')].map(second);
  for (let attempt = 1; ; attempt++) {
    writeFileSync(file, `${1000 + attempt}\n`);
    git(work, 'add', 'a.txt');
    const [added, refreshed] = seconds();
    writeFileSync(file, 'edit\n');
    if (added === refreshed && second(file) === added) break;
  }
  await expect.poll(() => Math.floor(Date.now() / 1000), { timeout: 3000 }).toBeGreaterThan(second(file));
  const { captured } = await expectRoundTrip(repository, work);
  expect(git(repository, 'show', `${captured.commit}:a.txt`)).toBe('edit');
});

thoroughTest('untracked files are captured with status.showUntrackedFiles=no', async () => {
  const repository = makeRepository();
  git(repository, 'config', 'status.showUntrackedFiles', 'no');
  const work = addWorktree(repository);
  writeFiles(work, { 'new.txt': 'x\n' });
  const { captured } = await expectRoundTrip(repository, work);
  expect(captured.files).toBe(1);
});

test('permissions, symbolic links and empty directories are restored', async () => {
  const repository = makeRepository({
    'tool.sh': '#!/bin/sh\n',
    'plain.txt': 'x\n',
    'secret.txt': 's\n',
    '.gitignore': '.env\n',
  });
  const work = addWorktree(repository);
  chmodSync(join(work, 'tool.sh'), 0o755);
  chmodSync(join(work, 'plain.txt'), 0o444);
  chmodSync(join(work, 'secret.txt'), 0o600);
  writeFileSync(join(work, '.env'), 'TOKEN=1\n', { mode: 0o600 });
  writeFileSync(join(work, 'run.sh'), '#!/bin/sh\n', { mode: 0o700 });
  mkdirSync(join(work, 'empty/inner'), { recursive: true });
  mkdirSync(join(work, 'private'), { mode: 0o700 });
  writeFileSync(join(work, 'private/key'), 'k');
  mkdirSync(join(work, 'read-only'));
  writeFileSync(join(work, 'read-only/file'), 'k');
  chmodSync(join(work, 'read-only'), 0o555);
  symlinkSync('nowhere', join(work, 'dangling'));
  symlinkSync('/etc/hostname', join(work, 'absolute'));
  symlinkSync('private', join(work, 'to-directory'));
  symlinkSync(Buffer.from([0xff, 0x2f, 0x0a]), join(work, 'odd-target'));
  await expectRoundTrip(repository, work);
});

thoroughTest('a file may become a directory, a directory a file, and either a link', async () => {
  const repository = makeRepository({
    file: 'f\n',
    'dir/a': 'a\n',
    'dir/b': 'b\n',
    other: 'o\n',
    'tree/x': 'x\n',
  });
  const work = addWorktree(repository);
  for (const name of ['file', 'dir', 'other', 'tree']) rmSync(join(work, name), { recursive: true });
  writeFiles(work, { 'file/inner': 'now a directory\n', dir: 'now a file\n' });
  symlinkSync('file', join(work, 'other'));
  symlinkSync('file', join(work, 'tree'));
  await expectRoundTrip(repository, work);
});

test('names of any bytes are restored', async () => {
  const repository = makeRepository({ '-leading': 'x\n', 'with "quotes"': 'x\n' });
  const work = addWorktree(repository);
  writeFiles(work, {
    '-leading': 'changed\n',
    'new\nline': 'x\n',
    'tab\tand\\backslash': 'x\n',
    '--all': 'x\n',
    ':(top)magic': 'x\n',
    '%2egit': 'literal percent\n',
    '.gitignore': '%ignored%\nignored*\n',
    '%ignored%': 'x\n',
    'ignored-%2egit': 'x\n',
    '.GIT/config': 'not a repository\n',
    'git~1': 'a short name on NTFS\n',
    '.git\u200c/x': 'a .git on HFS+\n',
    '.git.': 'x\n',
  });
  const invalid = Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0x61, 0xff, 0xfe, 0x80])]);
  writeFileSync(invalid, 'not UTF-8\n');
  mkdirSync(Buffer.concat([invalid, Buffer.from('-directory')]));
  writeFileSync(Buffer.concat([invalid, Buffer.from('-directory/'), Buffer.from([0xc3, 0x28])]), 'deep\n');
  await expectRoundTrip(repository, work);
});

thoroughTest('edits behind assume-unchanged and skip-worktree are captured, and stay hidden', async () => {
  const repository = makeRepository({
    'assumed.txt': 'a\n',
    'skipped.txt': 'b\n',
    'both.txt': 'c\n',
    'gone.txt': 'd\n',
  });
  const work = addWorktree(repository);
  git(work, 'update-index', '--assume-unchanged', 'assumed.txt', 'both.txt', 'gone.txt');
  git(work, 'update-index', '--skip-worktree', 'skipped.txt', 'both.txt');
  // Of the same size, so that only comparing again can detect it.
  writeFiles(work, { 'assumed.txt': 'A\n', 'skipped.txt': 'B\n', 'both.txt': 'C\n' });
  rmSync(join(work, 'gone.txt'));
  const { captured } = await expectRoundTrip(repository, work);
  expect(captured.files).toBe(4);
});

test.each([['--no-sparse-index'], ['--sparse-index']])(
  'a sparse checkout (%s) is restored as sparse, with the file outside it',
  async flag => {
    const repository = makeRepository({
      'in/a': 'a\n',
      'out/b': 'b\n',
      'out/c': 'c\n',
      'far/d': 'd\n',
      top: 't\n',
    });
    const work = addWorktree(repository);
    git(work, 'sparse-checkout', 'set', '--cone', flag, 'in');
    writeFiles(work, { 'out/b': 'here all the same\n', 'in/a': 'edited\n' });
    const { captured, restored, meta } = await expectRoundTrip(repository, work);
    expect(git(repository, 'diff', '--name-status', 'main', captured.commit)).toBe('M\tin/a\nM\tout/b');
    expect(meta.absent).toEqual(['far/d', 'out/c']);
    expect(git(restored, 'sparse-checkout', 'list')).toBe('in');
  },
);

thoroughTest('intent-to-add, with and without the file, is restored', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  writeFiles(work, { 'planned.txt': 'content\n', 'planned-and-gone.txt': 'x\n' });
  git(work, 'add', '--intent-to-add', 'planned.txt', 'planned-and-gone.txt');
  rmSync(join(work, 'planned-and-gone.txt'));
  await expectRoundTrip(repository, work);
});

thoroughTest('with core.fileMode=false the index decides about executable files', async () => {
  const repository = makeRepository({ 'tool.sh': 'x\n', 'plain.txt': 'x\n' });
  git(repository, 'update-index', '--chmod=+x', 'tool.sh');
  git(repository, 'commit', '--quiet', '-m', 'executable');
  git(repository, 'config', 'core.fileMode', 'false');
  const work = addWorktree(repository);
  chmodSync(join(work, 'tool.sh'), 0o644);
  writeFiles(work, { 'tool.sh': 'edited\n' });
  chmodSync(join(work, 'plain.txt'), 0o755);
  const { captured } = await expectRoundTrip(repository, work);
  expect(git(repository, 'diff', '--summary', 'main', captured.commit)).toBe('');
});

thoroughTest('a large binary file is restored', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  const content = Buffer.alloc(20_000_000);
  for (let at = 0; at < content.length; at += 4)
    content.writeUInt32LE((Math.imul(at, 2654435761) ^ (at >>> 3)) >>> 0, at);
  writeFiles(work, { 'large.bin': content });
  await expectRoundTrip(repository, work);
});

thoroughTest('a repository with SHA-256 ids works too', async () => {
  const repository = join(tempDir(), 'repo');
  mkdirSync(repository);
  git(repository, 'init', '--quiet', '--initial-branch=main', '--object-format=sha256');
  commitFiles(repository, { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '.env\n' });
  const work = addWorktree(repository);
  rmSync(join(work, 'b.txt'));
  writeFiles(work, { 'a.txt': 'edited\n', 'new.txt': 'n\n', '.env': 'e\n' });
  symlinkSync('a.txt', join(work, 'link'));
  await expectRoundTrip(repository, work);
});

thoroughTest('files on an unborn branch are captured', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  git(work, 'checkout', '--quiet', '--orphan', 'fresh');
  git(work, 'rm', '--quiet', '-r', '--force', '.');
  writeFiles(work, { 'first.txt': 'x\n' });
  git(work, 'add', 'first.txt');
  writeFiles(work, { 'second.txt': 'y\n' });
  const { meta } = await expectRoundTrip(repository, work);
  expect(meta.head).toEqual({ ref: 'refs/heads/fresh', branch: 'fresh', commit: null });
});

thoroughTest('a work tree that never had an index is restored without one', async () => {
  const repository = makeRepository();
  const work = join(tempDir(), 'work');
  git(repository, 'worktree', 'add', '--quiet', '--no-checkout', '-b', 'carrel/work', work);
  writeFiles(work, { 'new.txt': 'x\n' });
  await expectRoundTrip(repository, work);
});

thoroughTest('a split index with an untracked cache is restored', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const work = addWorktree(repository);
  git(work, 'update-index', '--split-index', '--force-untracked-cache');
  git(work, 'status', '--porcelain');
  writeFiles(work, { 'new.txt': 'new\n' });
  writeFiles(work, { 'a.txt': 'staged\n' });
  git(work, 'add', 'a.txt');
  await expectRoundTrip(repository, work);
});

thoroughTest('named pipes are left out, reported, and never opened', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  execFileSync('mkfifo', [join(work, 'pipe')]);
  const { captured } = await expectRoundTrip(repository, work, {}, path => path !== 'pipe');
  expect(captured.omitted).toEqual([{ path: 'pipe', bytes: 0, reason: 'a named pipe, socket or device' }]);
});

thoroughTest('ignored files are captured, small ones first, without what tools recreate', async () => {
  const repository = makeRepository({ '.gitignore': '.env\nbuild/\nnode_modules/\n*.log\n' });
  const work = addWorktree(repository);
  writeFiles(work, {
    '.env': 'TOKEN=1\n',
    'build/out/a.o': 'a'.repeat(600),
    'build/b.o': 'b'.repeat(600),
    'src/debug.log': 'log\n',
    'src/new.txt': 'untracked\n',
    'node_modules/left-pad/index.js': 'x'.repeat(100),
    'packages/a/node_modules/b/index.js': 'x'.repeat(50),
  });
  const left = (path: string) => !/(^|\/)(node_modules|build)(\/|$)|^packages/.test(path);
  const limits = { ignoredBytes: 1000, regenerable: ['node_modules'] };
  const { captured } = await expectRoundTrip(repository, work, { limits }, left);
  expect(captured.omitted).toEqual([
    { path: 'packages/a/node_modules', bytes: 50, reason: 'tools can recreate it' },
    { path: 'node_modules', bytes: 100, reason: 'tools can recreate it' },
    { path: 'build', bytes: 1200, reason: 'ignored files above the limit of 1000 bytes' },
  ]);
});

thoroughTest('a directory that tools recreate is captured when it is not ignored', async () => {
  const repository = makeRepository({ 'node_modules/kept/index.js': 'x\n' });
  const work = addWorktree(repository);
  writeFiles(work, { 'node_modules/kept/index.js': 'patched\n', 'node_modules/new/index.js': 'x\n' });
  const { captured } = await expectRoundTrip(repository, work);
  expect(captured.omitted).toEqual([]);
});
