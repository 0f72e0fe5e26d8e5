import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { addWorktree, placeOf } from '../../../test/helpers/round-trip.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { testGit } from '../../../test/helpers/test-git.js';
import { findCleanFiles } from './clean.js';

const FILES = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n', '.gitignore': '*.log\n' };
const SECRET = { path: '.env', sha256: createHash('sha256').update('SECRET\n').digest('hex') };

function ask(work: string, youngFiles: 'by-content' | 'by-time' = 'by-time', included = [SECRET]) {
  const temporaryRoot = tempDir();
  return findCleanFiles(testGit(), placeOf(work), { idLength: 40, included, temporaryRoot, youngFiles });
}

describe.each(['by-content', 'by-time'] as const)('judging young files %s', how => {
  it('finds a fresh checkout clean, right after it was made and later', async () => {
    const work = addWorktree(makeRepository(FILES));
    const tree = git(work, 'rev-parse', 'HEAD^{tree}');
    expect((await ask(work, how))?.index.tree).toBe(tree);
    writeFiles(work, { '.env': 'SECRET\n' });
    expect((await ask(work, how))?.included).toEqual(['.env']);
  });

  it('sees an edit that keeps the size and the second', async () => {
    const work = addWorktree(makeRepository(FILES));
    const { atime, mtime } = lstatSync(join(work, 'a.txt'));
    writeFiles(work, { 'a.txt': 'b\n' });
    utimesSync(join(work, 'a.txt'), atime, mtime);
    expect(await ask(work, how)).toBeUndefined();
  });
});

test.each<[string, (work: string) => void]>([
  ['an edited file', work => writeFiles(work, { 'a.txt': 'edited\n' })],
  ['a deleted file', work => rmSync(join(work, 'a.txt'))],
  [
    'a file that became a link',
    work => {
      rmSync(join(work, 'a.txt'));
      symlinkSync('dir/b.txt', join(work, 'a.txt'));
    },
  ],
  ['an executable bit', work => chmodSync(join(work, 'a.txt'), 0o755)],
  ['an untracked file', work => writeFiles(work, { 'dir/new.txt': '' })],
  ['an ignored file', work => writeFiles(work, { 'new.log': '' })],
  ['an included file that was changed', work => writeFiles(work, { '.env': 'OTHER\n' })],
  ['an empty directory', work => mkdirSync(join(work, 'empty'))],
  ['a repository in a tracked directory', work => git(join(work, 'dir'), 'init', '--quiet')],
  ['a directory of other permissions', work => chmodSync(join(work, 'dir'), 0o700)],
  ['a named pipe', work => execFileSync('mkfifo', [join(work, 'pipe')])],
  [
    'a staged change',
    work => {
      writeFiles(work, { 'a.txt': 'staged\n' });
      git(work, 'add', 'a.txt');
    },
  ],
  [
    'a change behind the back of git',
    work => {
      git(work, 'update-index', '--assume-unchanged', 'a.txt');
      writeFiles(work, { 'a.txt': 'hidden\n' });
    },
  ],
])('%s is not clean', async (_, change) => {
  const work = addWorktree(makeRepository(FILES));
  change(work);
  expect(await ask(work)).toBeUndefined();
  expect(await ask(work, 'by-content')).toBeUndefined();
});
