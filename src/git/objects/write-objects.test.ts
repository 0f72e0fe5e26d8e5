import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { mountSmallDisk } from '../../../test/helpers/machine/small-disk.js';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { toBytePath } from '../byte-path.js';
import { readBlob, readObjectInfos } from './read-objects.js';
import { writeBlobs, writeCommit, writeFileBlobs, writeTree } from './write-objects.js';

test('a missing file is reported, and the others are stored', async () => {
  const store = join(makeRepository(), '.git');
  const directory = tempDir();
  writeFiles(directory, { first: 'first\n', last: 'last\n' });
  const paths = ['first', 'gone', 'gone as well', 'last'].map(name => toBytePath(join(directory, name)));
  const ids = await writeFileBlobs(testGit(), store, paths);
  expect(ids.map(id => id && git(store, 'cat-file', 'blob', id))).toEqual([
    'first',
    undefined,
    undefined,
    'last',
  ]);
});

test('an unreadable file fails', async () => {
  const store = join(makeRepository(), '.git');
  const directory = tempDir();
  mkdirSync(join(directory, 'unreadable'));
  const paths = [toBytePath(join(directory, 'unreadable'))];
  await expect(writeFileBlobs(testGit(), store, paths)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    details: { problem: 'EISDIR' },
  });
});

test('a sparse file in memory without space is a full disk, although git was killed', async context => {
  const store = join(makeRepository(), '.git');
  const disk = mountSmallDisk(context, '2m');
  const sparse = join(disk.path, 'sparse');
  writeFileSync(sparse, '');
  truncateSync(sparse, 1_000_000);
  disk.fill();
  await expect(writeFileBlobs(testGit(), store, [toBytePath(sparse)])).rejects.toMatchObject({
    code: 'DISK_FULL',
    details: { path: disk.path },
  });
});

test('an unwritable store is not reported as an unreadable file', async () => {
  const store = join(makeRepository(), '.git');
  const directory = tempDir();
  writeFiles(directory, { file: 'x\n' });
  rmSync(join(store, 'objects'), { recursive: true });
  writeFileSync(join(store, 'objects'), '');
  const paths = [toBytePath(join(directory, 'file'))];
  await expect(writeFileBlobs(testGit(), store, paths)).rejects.toMatchObject({ code: 'GIT_FAILED' });
});

test('files are stored as they are, regardless of attributes', async () => {
  const repository = makeRepository({ '.gitattributes': '* text eol=lf\n' });
  writeFiles(repository, { 'crlf\n.txt': 'a\r\n' });
  const paths = [toBytePath(join(repository, 'crlf\n.txt'))];
  const [id] = await writeFileBlobs(testGit(), join(repository, '.git'), paths);
  expect(await readObjectInfos(testGit(), join(repository, '.git'), [id ?? ''])).toEqual([
    { id, type: 'blob', bytes: 3 },
  ]);
});

test('a tree is changed by removing entries before adding others', async () => {
  const repository = makeRepository();
  const store = join(repository, '.git');
  const [id = ''] = await writeBlobs(testGit(), store, tempDir(), [Buffer.from('x\n')]);
  const indexFile = join(tempDir(), 'index');
  const file = { path: 'a', mode: '100644', id };
  await writeTree(testGit(), store, indexFile, { added: [file, { ...file, path: 'b/c' }] });
  const change = {
    removed: [file],
    added: [
      { ...file, path: 'a/inner' },
      { ...file, path: 'b' },
    ],
  };
  const tree = await writeTree(testGit(), store, indexFile, change);
  expect(git(repository, 'ls-tree', '-r', '--name-only', tree)).toBe('a/inner\nb');
  const commit = await writeCommit(testGit(), store, { tree, parents: [], message: 'm', at: new Date(0) });
  expect((await readBlob(testGit(), store, commit, 'a/inner')).toString()).toBe('x\n');
});

test('an object that the repository lacks is reported as missing', async () => {
  const store = join(makeRepository(), '.git');
  expect(await readObjectInfos(testGit(), store, [`${'0'.repeat(39)}1`, 'HEAD:README.md'])).toEqual([
    undefined,
    { id: expect.stringMatching(/^[0-9a-f]{40}$/), type: 'blob', bytes: 6 },
  ]);
});
