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
import { BINARY } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { listFiles } from '../../helpers/git/round-trip.js';
import { commitFiles, git, gitEnv, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

/** Patches are bytes, not text. */
function diffBytes(fixture: Fixture, name = 'a', cwd = fixture.repository): Buffer {
  const options = { cwd, env: fixture.carrel.env, maxBuffer: 64 * 1024 ** 2 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'diff', name], options);
  expect(status, String(stderr)).toBe(0);
  return stdout;
}

function apply(patch: Buffer, cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', ['apply', ...args], { cwd, env: gitEnv(), input: patch });
  expect(status, String(stderr)).toBe(0);
}

/** Applies the workspace's diff to a fresh clone at its base; the clone has the workspace's files then. */
function expectApplies(fixture: Fixture, base = 'main'): string {
  const patch = diffBytes(fixture);
  const clone = join(tempDir(), 'clone');
  git(fixture.repository, 'clone', '--quiet', '--no-local', '--no-checkout', fixture.repository, clone);
  git(clone, 'checkout', '--quiet', '--detach', base.startsWith('main') ? `origin/${base}` : base);
  apply(patch, clone, '--check');
  apply(patch, clone, '--index', '--binary', '--whitespace=nowarn');
  expect(withoutEmptyDirectories(clone)).toEqual(withoutEmptyDirectories(fixture.path));
  return patch.toString('latin1');
}

/** git knows no empty directories, and umask decides on the modes of the others. */
function withoutEmptyDirectories(root: string): Record<string, string> {
  return Object.fromEntries(Object.entries(listFiles(root)).filter(([, value]) => !value.startsWith('40')));
}

/** Every kind of change that a patch can hold. */
function changeEverything(fixture: Fixture): void {
  const at = (name: string) => join(fixture.path, name);
  commitFiles(fixture.path, { 'committed.txt': 'committed\n', 'moved/deep.txt': 'moved\n' }, 'committed');
  renameSync(at('long.txt'), at('renamed.txt'));
  fixture.git('add', '--all');
  appendFileSync(at('renamed.txt'), 'and changed, without an end of line');
  writeFiles(fixture.path, {
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
  writeFiles(fixture.path, { folder: 'a file now\n' });
  rmSync(at('link'));
  writeFileSync(at('link'), 'a file now\n');
  symlinkSync('README.md', at('new-link'));
  for (const name of ['a b', '-rf', 'tab\tquote"back\\', 'new\nline', 'ü', 'a/b/ spaced '])
    writeFiles(fixture.path, { [name]: `${name}\n` });
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

test('the patch contains every kind of change, and applying it to the base gives the same files', () => {
  const fixture = makeFixture({ repository: makeBase() });
  changeEverything(fixture);
  writeFiles(fixture.path, { 'ignored.log': 'not part of it\n' });
  const workspace = listFiles(fixture.path);
  const user = fingerprint(fixture.repository);
  rmSync(join(fixture.path, 'ignored.log'));
  const piped = fixture.type(fixture.repository, 'carrel diff a | git apply --check');
  expect(piped, piped.stderr).toMatchObject({ status: 0 });
  const patch = expectApplies(fixture);
  expect(patch).toContain('rename from long.txt');
  expect(patch).toContain('GIT binary patch');
  expect(patch).toContain('new mode 100755');
  writeFiles(fixture.path, { 'ignored.log': 'not part of it\n' });
  expect(listFiles(fixture.path)).toEqual(workspace);
  expect(fingerprint(fixture.repository)).toEqual(user);
});

thoroughTest('the user’s settings for diffs do not change the patch', () => {
  const fixture = makeFixture({ repository: makeBase() });
  changeEverything(fixture);
  const patch = diffBytes(fixture);
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
  for (const [key, value] of Object.entries(settings)) git(fixture.repository, 'config', key, value);
  writeFiles(fixture.repository, { '.git/info/attributes': '*.md diff=upper\n' });
  expect(diffBytes(fixture).equals(patch)).toBe(true);
});

test('the patch is relative to where the workspace left its base, which may have moved since', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'mine.txt': 'mine\n' }, 'mine');
  commitFiles(fixture.repository, { 'theirs.txt': 'theirs\n' }, 'theirs');
  expect(fixture.ok('diff', 'a', '--name-only')).toBe('mine.txt');
  expectApplies(fixture, 'main~1');
  fixture.git('merge', '--quiet', '--no-edit', 'main');
  expect(fixture.ok('diff', 'a', '--name-only')).toBe('mine.txt');
  expectApplies(fixture);
});

thoroughTest(
  'hidden edits, conflicts and files that are not checked out are in it as they are on the disk',
  () => {
    const fixture = makeFixture();
    fixture.git('update-index', '--assume-unchanged', 'README.md');
    fixture.git('update-index', '--skip-worktree', 'source/one.txt', 'source/two.txt');
    writeFiles(fixture.path, { 'README.md': 'hidden\n', 'source/one.txt': 'hidden too\n' });
    expectApplies(fixture);
    // Outside of a sparse checkout is not deleted.
    rmSync(join(fixture.path, 'source/two.txt'));
    expect(fixture.ok('diff', 'a', '--name-only')).toBe('README.md\nsource/one.txt');
  },
);

test('a workspace without changes has an empty patch; a nested repository is reported', () => {
  const fixture = makeFixture();
  expect(fixture.run('diff', 'a')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  const nested = join(fixture.path, 'nested');
  makeRepository({ 'file.txt': 'file\n' }, nested);
  expect(fixture.run('diff', 'a')).toMatchObject({
    status: 0,
    stdout: '',
    stderr: 'warning: left out of the diff: nested\n',
  });
});

thoroughTest('a plain copy and the user’s own directory have patches too', () => {
  const fixture = makeFixture();
  const source = tempDir();
  writeFiles(source, { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  const copy = fixture.ok('up', 'copy', '--copy', source);
  writeFiles(copy, { 'a.txt': 'edited\n', 'new.bin': Buffer.from([0, 255]) });
  rmSync(join(copy, 'sub'), { recursive: true });
  apply(diffBytes(fixture, 'copy', source), source);
  expect(withoutEmptyDirectories(source)).toEqual(withoutEmptyDirectories(copy));
  fixture.ok('up', 'own', '--isolation', 'shared');
  writeFiles(fixture.repository, { 'README.md': 'edited\n', 'new.txt': 'new\n' });
  expect(fixture.ok('diff', 'own', '--name-only')).toBe('README.md\nnew.txt');
});
