import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { addWorktree, placeOf } from '../../../test/helpers/git/round-trip.js';
import { editUnseen, editWithinTheSecond } from '../../../test/helpers/git/unseen-edit.js';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { findCleanFiles } from './clean-files.js';

const FILES = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n', 'other/c.txt': 'c\n', '.gitignore': '*.log\n' };
const SECRET = { path: '.env', sha256: createHash('sha256').update('SECRET\n').digest('hex') };

const ask = (work: string, included = [SECRET]) => findCleanFiles(placeOf(work), { idLength: 40, included });

it('finds a fresh checkout clean, right after creation and later', async () => {
  const work = addWorktree(makeRepository(FILES));
  const tree = git(work, 'rev-parse', 'HEAD^{tree}');
  expect((await ask(work))?.index.tree).toBe(tree);
  writeFiles(work, { '.env': 'SECRET\n' });
  expect((await ask(work))?.included).toEqual(['.env']);
});

it('detects an edit with the same size in the same second', async () => {
  const work = addWorktree(makeRepository(FILES));
  editWithinTheSecond(work, 'a.txt', 'b\n');
  expect(await ask(work)).toBeUndefined();
});

it('detects such an edit of a file with an old time', async () => {
  const work = addWorktree(makeRepository(FILES));
  editUnseen(work, 'a.txt', 'b\n');
  expect(await ask(work)).toBeUndefined();
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
  ['directories of different permissions', work => chmodSync(join(work, 'dir'), 0o700)],
  ['a named pipe', work => execFileSync('mkfifo', [join(work, 'pipe')])],
  [
    'a staged change',
    work => {
      writeFiles(work, { 'a.txt': 'staged\n' });
      git(work, 'add', 'a.txt');
    },
  ],
  [
    'a change hidden from git',
    work => {
      git(work, 'update-index', '--assume-unchanged', 'a.txt');
      writeFiles(work, { 'a.txt': 'hidden\n' });
    },
  ],
])('%s is not clean', async (_, change) => {
  const work = addWorktree(makeRepository(FILES));
  change(work);
  expect(await ask(work)).toBeUndefined();
});
