import { execFileSync } from 'node:child_process';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFiles, git, makeRepository } from '../../../test/helpers/repository.js';
import { isUntouched } from './untouched-work-tree.js';

const ID_BYTES = 20;

/** Old files, which a newer index can distinguish by their times. */
function makeSettledRepository(): string {
  const directory = makeRepository();
  commitFiles(directory, { 'a.txt': 'aaa\n', 'dir/b.txt': 'b\n', '.gitignore': '*.log\n' });
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const name of names) if (!name.startsWith('.git/')) utimesSync(join(directory, name), 1e9, 1e9);
  git(directory, 'update-index', '--refresh');
  const later = Date.now() / 1000 + 5;
  utimesSync(join(directory, '.git/index'), later, later);
  return directory;
}

const look = (directory: string) => isUntouched(directory, join(directory, '.git/index'), ID_BYTES);

const CHANGES = {
  'an edit of the same size with the old time': 'echo xxx > a.txt; touch -r dir/b.txt a.txt',
  'the same content in another file': 'cp -p a.txt c; mv c a.txt',
  'a file that is gone': 'rm dir/b.txt',
  'a directory that is gone': 'rm -r dir',
  'a new file': 'echo new > dir/new.txt',
  'an ignored file': 'echo new > dir/new.log',
  'an empty directory': 'mkdir dir/empty',
  permissions: 'chmod +x a.txt',
  'a link in the place of a directory': 'mv dir .git/dir; ln -s .git/dir dir',
  'a repository in a directory': 'mkdir dir/.git',
  'a submodule': 'git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),module',
  'an entry that hides its file': 'git update-index --assume-unchanged a.txt',
  'no index': 'rm .git/index',
};

test.each(Object.entries(CHANGES))('needs a closer check: %s', async (_what, script) => {
  const directory = makeSettledRepository();
  expect(await look(directory)).toBe(true);
  execFileSync('sh', ['-ec', script], { cwd: directory });
  expect(await look(directory)).toBe(false);
});

test('a file as new as the index counts as possibly changed', async () => {
  const directory = makeSettledRepository();
  utimesSync(join(directory, '.git/index'), 1e9, 1e9);
  expect(await look(directory)).toBe(false);
});

test('a work tree that is gone is not untouched', async () => {
  const directory = makeSettledRepository();
  expect(await isUntouched(join(directory, 'none'), join(directory, '.git/index'), ID_BYTES)).toBe(false);
});
