import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { hashListing } from './listing-hash.js';

function makeTree(): string {
  const root = tempDir();
  writeFiles(root, { 'data/a.txt': 'one\n', 'data/deep/b.txt': 'two\n', 'outside/old/c.txt': 'three\n' });
  symlinkSync('a.txt', join(root, 'data/link'));
  return root;
}

test('only a change changes the digest', async () => {
  const root = makeTree();
  const before = await hashListing(root, 'data');
  lstatSync(join(root, 'data/a.txt'));
  writeFiles(root, { 'outside/new.txt': 'x' });
  renameSync(join(root, 'data'), join(root, 'moved'));
  renameSync(join(root, 'moved'), join(root, 'data'));
  expect(await hashListing(root, 'data')).toBe(before);
});

const CHANGES: Record<string, (data: string) => void> = {
  'an edit of the same size with its old time': data => {
    const { atime, mtime } = lstatSync(`${data}/a.txt`);
    writeFileSync(`${data}/a.txt`, 'eno\n');
    utimesSync(`${data}/a.txt`, atime, mtime);
  },
  'a new file': data => writeFileSync(`${data}/deep/new`, ''),
  'a new directory': data => mkdirSync(`${data}/new`),
  'a file that is gone': data => rmSync(`${data}/deep/b.txt`),
  'another name': data => renameSync(`${data}/a.txt`, `${data}/z.txt`),
  'another mode': data => chmodSync(`${data}/a.txt`, 0o600),
  'another target of a link': data => {
    const { atime, mtime } = lstatSync(`${data}/link`);
    rmSync(`${data}/link`);
    symlinkSync('b.txt', `${data}/link`);
    lutimesSync(`${data}/link`, atime, mtime);
  },
  'a directory of old files that was moved in': data => renameSync(`${data}/../outside/old`, `${data}/old`),
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`${what} changes the digest`, async () => {
    const root = makeTree();
    const before = await hashListing(root, 'data');
    // The clock of file times moves in steps of up to 10 ms.
    await delay(20);
    change(join(root, 'data'));
    expect(await hashListing(root, 'data')).not.toBe(before);
  });
}
