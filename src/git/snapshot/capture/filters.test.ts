import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import {
  addWorktree,
  captureRequest,
  expectRoundTrip,
  placeOf,
} from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { largeObjectPath } from '../large-files.js';
import { captureWorkTree } from './capture.js';

thoroughTest('line endings are restored as they are on disk, regardless of core.autocrlf', async () => {
  const repository = makeRepository({ 'lf.txt': 'a\nb\n', 'touched.txt': 'a\nb\n', 'edited.txt': 'a\n' });
  git(repository, 'config', 'core.autocrlf', 'true');
  const work = addWorktree(repository);
  writeFiles(work, {
    'mixed.txt': 'one\r\ntwo\nthree\r\n',
    'staged-lf.txt': 'one\ntwo\n',
    'edited.txt': 'a\r\nb\nc\r\n',
  });
  git(work, 'add', 'mixed.txt', 'staged-lf.txt');
  git(work, 'commit', '--quiet', '-m', 'mixed');
  expect(readFileSync(join(work, 'lf.txt'), 'utf8')).toBe('a\r\nb\r\n');
  writeFiles(work, { 'touched.txt': 'a\r\nb\r\n' });
  await expectRoundTrip(repository, work);
});

thoroughTest('a file with other line endings that git considers clean is restored unchanged', async () => {
  const repository = makeRepository({
    '.gitattributes': '* text=auto\n*.sh text eol=lf\n*.bat text eol=crlf\n',
  });
  const work = addWorktree(repository);
  writeFiles(work, {
    'windows.txt': 'a\r\nb\r\n',
    'run.bat': 'a\nb\n',
    'run.sh': 'a\r\nb\r\n',
    'id.txt': '$Id: mine $\n',
  });
  git(work, 'add', '--all');
  git(work, 'commit', '--quiet', '-m', 'all');
  expect(git(work, 'status', '--porcelain')).toBe('');
  await expectRoundTrip(repository, work);
});

thoroughTest('keywords and encodings are restored as they are on disk', async () => {
  const repository = makeRepository({
    '.gitattributes': '*.id ident\n*.utf16 working-tree-encoding=UTF-16LE\n',
  });
  const work = addWorktree(repository);
  // As long in UTF-16 as in UTF-8: two ASCII characters of one byte make up for two characters of three.
  writeFiles(work, {
    'a.id': '$Id: written by hand $\n',
    'same-size.utf16': Buffer.from('ab語語', 'utf16le'),
  });
  git(work, 'add', '--all');
  git(work, 'commit', '--quiet', '-m', 'all');
  expect(git(work, 'status', '--porcelain')).toBe('');
  await expectRoundTrip(repository, work);
});

/** A repository whose `*.up` files are upper case on the disk and lower case in git; the filter notes that it ran. */
function makeFilteredRepository(): { repository: string; marker: string } {
  const marker = join(tempDir(), 'the-filter-ran');
  const repository = makeRepository({ '.gitattributes': '*.up filter=case\n', 'plain.txt': 'plain\n' });
  git(repository, 'config', 'filter.case.clean', `touch ${marker}; tr A-Z a-z`);
  git(repository, 'config', 'filter.case.smudge', `touch ${marker}; tr a-z A-Z`);
  git(repository, 'config', 'filter.case.required', 'true');
  commitFiles(repository, { 'clean.up': 'CLEAN\n', 'edited.up': 'EDITED\n' });
  return { repository, marker };
}

test('filter programs do not run for a snapshot, and content that they would change is restored', async () => {
  const { repository, marker } = makeFilteredRepository();
  const work = addWorktree(repository);
  writeFiles(work, { 'edited.up': 'Changed\n', 'new.up': 'New\n', 'mixed.up': 'Mixed\n' });
  git(work, 'add', 'mixed.up');
  git(work, 'commit', '--quiet', '-m', 'mixed');
  expect(git(work, '--no-optional-locks', 'status', '--porcelain')).toBe(' M edited.up\n?? new.up');
  rmSync(marker);
  await captureWorkTree(testGit(), placeOf(work), captureRequest({ ref: 'refs/carrel/snapshots/first' }));
  expect(existsSync(marker)).toBe(false);
  await expectRoundTrip(repository, work);
});

thoroughTest(
  'an unchanged file of git LFS is not stored again and is restored from the LFS store',
  async () => {
    const repository = makeRepository({ '.gitattributes': '*.bin filter=lfs -text\n' });
    const work = addWorktree(repository);
    const content = Buffer.alloc(5000, 'large');
    const oid = createHash('sha256').update(content).digest('hex');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 5000\n`;
    const object = largeObjectPath(placeOf(work).commonDir, oid);
    mkdirSync(dirname(object), { recursive: true });
    writeFileSync(object, content);
    const script = join(tempDir(), 'clean');
    writeFileSync(script, `#!/bin/sh\ncat > /dev/null\nprintf '%s' '${pointer}'\n`, { mode: 0o755 });
    git(repository, 'config', 'filter.lfs.clean', script);
    commitFiles(work, { 'art.bin': content }, 'large file');
    expect(git(work, 'cat-file', 'blob', 'HEAD:art.bin')).toBe(pointer.trimEnd());
    const { meta, captured, restored } = await expectRoundTrip(repository, work);
    expect(meta.largeFiles).toEqual([{ path: 'art.bin', oid }]);
    expect(git(repository, 'cat-file', 'blob', `${captured.commit}:art.bin`)).toBe(pointer.trimEnd());
    expect(readFileSync(join(restored, 'art.bin')).equals(content)).toBe(true);
  },
);
