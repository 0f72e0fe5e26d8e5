import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../helpers/carrel.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { thoroughTest } from '../helpers/flavours.js';
import { commitFiles, git, gitEnv, makeRepository, writeFiles } from '../helpers/repository.js';
import { listFiles } from '../helpers/round-trip.js';
import { tempDir } from '../helpers/temp.js';

/** Patches are bytes, not text. */
function diffBytes(desk: Desk, name = 'a', cwd = desk.repository): Buffer {
  const options = { cwd, env: desk.carrel.env, maxBuffer: 64 * 1024 ** 2 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'diff', name], options);
  expect(status, String(stderr)).toBe(0);
  return stdout;
}

function apply(patch: Buffer, cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', ['apply', ...args], { cwd, env: gitEnv(), input: patch });
  expect(status, String(stderr)).toBe(0);
}

/** Applies the workspace's diff to a fresh clone at its base; the clone has the workspace's files then. */
function expectApplies(desk: Desk, base = 'main'): string {
  const patch = diffBytes(desk);
  const clone = join(tempDir(), 'clone');
  git(desk.repository, 'clone', '--quiet', '--no-local', '--no-checkout', desk.repository, clone);
  git(clone, 'checkout', '--quiet', '--detach', base.startsWith('main') ? `origin/${base}` : base);
  apply(patch, clone, '--check');
  apply(patch, clone, '--index', '--binary', '--whitespace=nowarn');
  expect(withoutEmptyDirectories(clone)).toEqual(withoutEmptyDirectories(desk.path));
  return patch.toString('latin1');
}

/** git knows no empty directories, and umask decides on the modes of the others. */
function withoutEmptyDirectories(root: string): Record<string, string> {
  return Object.fromEntries(Object.entries(listFiles(root)).filter(([, value]) => !value.startsWith('40')));
}

/** Every kind of change that a patch can hold. */
function changeEverything(desk: Desk): void {
  const at = (name: string) => join(desk.path, name);
  commitFiles(desk.path, { 'committed.txt': 'committed\n', 'moved/deep.txt': 'moved\n' }, 'committed');
  renameSync(at('long.txt'), at('renamed.txt'));
  desk.git('add', '--all');
  appendFileSync(at('renamed.txt'), 'and changed, without an end of line');
  writeFiles(desk.path, {
    'README.md': 'edited\n',
    'new/deep/file.txt': 'new\n',
    'empty.txt': '',
    'windows.txt': 'one\r\ntwo\r\n',
    'trailing.txt': 'space \n\ttab\t\n\n\n',
    'new.bin': Buffer.from([0, 1, 2, 255, 254, 10, 13, 0]),
    'image.bin': Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7) % 256)),
  });
  chmodSync(at('script.sh'), 0o755);
  rmSync(at('gone.txt'));
  rmSync(at('folder'), { recursive: true });
  writeFiles(desk.path, { folder: 'a file now\n' });
  rmSync(at('link'));
  writeFileSync(at('link'), 'a file now\n');
  symlinkSync('README.md', at('new-link'));
  for (const name of ['a b', '-rf', 'tab\tquote"back\\', 'new\nline', 'ü', 'a/b/ spaced '])
    writeFiles(desk.path, { [name]: `${name}\n` });
  mkdirSync(at('folder-of-bytes'));
  writeFileSync(
    Buffer.concat([Buffer.from(`${at('folder-of-bytes')}/`), Buffer.from([0xe9, 0xff])]),
    'bytes\n',
  );
}

function makeBase(): string {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');
  const repository = makeRepository({
    'README.md': 'hello\n',
    'long.txt': lines,
    'gone.txt': 'gone\n',
    'script.sh': '#!/bin/sh\n',
    'folder/inside.txt': 'inside\n',
    '.gitignore': '*.log\n',
  });
  symlinkSync('README.md', join(repository, 'link'));
  writeFileSync(join(repository, 'image.bin'), Buffer.alloc(5000, 1));
  commitFiles(repository, {}, 'link and image');
  return repository;
}

test('the patch holds every kind of change, and gives the same files on the base', () => {
  const desk = makeDesk({ repository: makeBase() });
  changeEverything(desk);
  writeFiles(desk.path, { 'ignored.log': 'not part of it\n' });
  const workspace = listFiles(desk.path);
  const user = fingerprint(desk.repository);
  rmSync(join(desk.path, 'ignored.log'));
  const piped = desk.type(desk.repository, 'carrel diff a | git apply --check');
  expect(piped, piped.stderr).toMatchObject({ status: 0 });
  const patch = expectApplies(desk);
  expect(patch).toContain('rename from long.txt');
  expect(patch).toContain('GIT binary patch');
  expect(patch).toContain('new mode 100755');
  writeFiles(desk.path, { 'ignored.log': 'not part of it\n' });
  expect(listFiles(desk.path)).toEqual(workspace);
  expect(fingerprint(desk.repository)).toEqual(user);
});

thoroughTest('the user’s settings for diffs do not change the patch', () => {
  const desk = makeDesk({ repository: makeBase() });
  changeEverything(desk);
  const patch = diffBytes(desk);
  const settings = {
    'diff.noprefix': 'true',
    'diff.mnemonicPrefix': 'true',
    'diff.external': 'false',
    'diff.renames': 'false',
    'diff.context': '0',
    'diff.interHunkContext': '9',
    'diff.algorithm': 'patience',
    'diff.suppressBlankEmpty': 'true',
    'diff.orderFile': '/nonexistent',
    'diff.upper.textconv': 'tr a-z A-Z <',
    'diff.relative': 'true',
    'color.ui': 'always',
    'core.quotePath': 'true',
    'core.abbrev': '4',
    'core.pager': 'false',
    'core.whitespace': 'cr-at-eol',
  };
  for (const [key, value] of Object.entries(settings)) git(desk.repository, 'config', key, value);
  writeFiles(desk.repository, { '.git/info/attributes': '*.md diff=upper\n' });
  expect(diffBytes(desk).equals(patch)).toBe(true);
});

test('the patch is against where the workspace left its base, which may have gone on', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'mine.txt': 'mine\n' }, 'mine');
  commitFiles(desk.repository, { 'theirs.txt': 'theirs\n' }, 'theirs');
  expect(desk.ok('diff', 'a', '--name-only')).toBe('mine.txt');
  expectApplies(desk, 'main~1');
  desk.git('merge', '--quiet', '--no-edit', 'main');
  expect(desk.ok('diff', 'a', '--name-only')).toBe('mine.txt');
  expectApplies(desk);
});

thoroughTest(
  'hidden edits, conflicts and files that are not checked out are in it as they are on the disk',
  () => {
    const desk = makeDesk();
    desk.git('update-index', '--assume-unchanged', 'README.md');
    desk.git('update-index', '--skip-worktree', 'source/one.txt', 'source/two.txt');
    writeFiles(desk.path, { 'README.md': 'hidden\n', 'source/one.txt': 'hidden too\n' });
    expectApplies(desk);
    // Outside of a sparse checkout is not deleted.
    rmSync(join(desk.path, 'source/two.txt'));
    expect(desk.ok('diff', 'a', '--name-only')).toBe('README.md\nsource/one.txt');
  },
);

test('a workspace without changes has an empty patch; a nested repository is told of', () => {
  const desk = makeDesk();
  expect(desk.run('diff', 'a')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  const nested = join(desk.path, 'nested');
  makeRepository({ 'file.txt': 'file\n' }, nested);
  expect(desk.run('diff', 'a')).toMatchObject({
    status: 0,
    stdout: '',
    stderr: 'warning: left out of the diff: nested\n',
  });
});

thoroughTest('a plain copy and the user’s own directory have patches too', () => {
  const desk = makeDesk();
  const source = tempDir();
  writeFiles(source, { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  const copy = desk.ok('up', 'copy', '--copy', source);
  writeFiles(copy, { 'a.txt': 'edited\n', 'new.bin': Buffer.from([0, 255]) });
  rmSync(join(copy, 'sub'), { recursive: true });
  apply(diffBytes(desk, 'copy', source), source);
  expect(withoutEmptyDirectories(source)).toEqual(withoutEmptyDirectories(copy));
  desk.ok('up', 'own', '--isolation', 'shared');
  writeFiles(desk.repository, { 'README.md': 'edited\n', 'new.txt': 'new\n' });
  expect(desk.ok('diff', 'own', '--name-only')).toBe('README.md\nnew.txt');
});
