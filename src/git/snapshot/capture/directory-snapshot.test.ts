import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { verifySnapshot } from '../verify/verify.js';
import { captureDirectory, restoreDirectory } from './directory-snapshot.js';

const REF = 'refs/carrel/snapshots/test';

function makeStore(): string {
  const store = join(tempDir(), 'store.git');
  git(tempDir(), 'init', '--quiet', '--bare', store);
  return store;
}

const request = (overrides = {}) => ({
  ref: REF,
  message: null,
  now: new Date('2026-01-02T03:04:05Z'),
  temporaryRoot: tempDir(),
  ...overrides,
});

test('a plain directory is restored completely, nested repositories included', async () => {
  const objectStore = makeStore();
  const directory = join(tempDir(), 'plain');
  makeRepository({ 'a.txt': 'a\r\n' }, join(directory, 'repo'));
  writeFiles(directory, {
    '.gitignore': '*\n',
    '.gitattributes': '* text eol=lf\n',
    'crlf.txt': 'a\r\n',
    '%2egit': 'x',
    'new\nline': 'x',
  });
  writeFileSync(join(directory, '.env'), 'TOKEN', { mode: 0o600 });
  mkdirSync(join(directory, 'empty'));
  symlinkSync('/etc/hostname', join(directory, 'link'));
  chmodSync(join(directory, 'empty'), 0o555);
  git(directory, 'init', '--quiet');
  const before = listFiles(directory);
  const dotGit = listFiles(join(directory, '.git'));
  const captured = await captureDirectory(testGit(), { objectStore, directory }, request());
  rmSync(directory, { recursive: true });
  git(objectStore, 'gc', '--quiet', '--prune=now');
  expect(await verifySnapshot(testGit(), { objectStore, ref: REF })).toBe(captured.commit);
  // A `.git` at the top of a directory without version control is a file like any other.
  await restoreDirectory(
    testGit(),
    { objectStore, directory },
    { commit: captured.commit, temporaryRoot: tempDir() },
  );
  expect(listFiles(directory)).toEqual(before);
  expect(listFiles(join(directory, '.git'))).toEqual(dotGit);
  expect(git(objectStore, 'fsck', '--no-dangling')).toBe('');
});

test('snapshots of one directory form a linear history', async () => {
  const objectStore = makeStore();
  const directory = tempDir();
  writeFiles(directory, { 'a.txt': '1' });
  const first = await captureDirectory(testGit(), { objectStore, directory }, request());
  writeFiles(directory, { 'a.txt': '2' });
  const second = await captureDirectory(
    testGit(),
    { objectStore, directory },
    request({ ref: 'refs/carrel/snapshots/second', parent: first.commit, message: 'second' }),
  );
  expect(git(objectStore, 'log', '--format=%s', second.commit)).toBe('second\ncarrel: snapshot');
});

test('a non-empty directory is not overwritten by a restore', async () => {
  const objectStore = makeStore();
  const directory = tempDir();
  writeFiles(directory, { 'a.txt': 'a' });
  const { commit } = await captureDirectory(testGit(), { objectStore, directory }, request());
  await expect(
    restoreDirectory(testGit(), { objectStore, directory }, { commit, temporaryRoot: tempDir() }),
  ).rejects.toMatchObject({ code: 'PATH_EXISTS' });
  expect(readdirSync(directory)).toEqual(['a.txt']);
});

test('a missing directory is refused', async () => {
  const objectStore = makeStore();
  const directory = join(tempDir(), 'missing');
  await expect(captureDirectory(testGit(), { objectStore, directory }, request())).rejects.toMatchObject({
    code: 'NO_SUCH_DIRECTORY',
  });
  expect(existsSync(directory)).toBe(false);
});
