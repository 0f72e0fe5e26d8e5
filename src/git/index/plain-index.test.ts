import { chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { entryId, entryMode, readPaths } from './git-index-entries.js';
import { loadPlainIndex, type PlainIndex } from './plain-index.js';

const FILES = {
  'a.txt': 'a\n',
  'dir/b.txt': 'b\n',
  'dir/deeper/é.txt': 'c\n',
  [`${'n'.repeat(200)}.txt`]: 'd\n',
};
const read = (repository: string, idBytes: 20 | 32 = 20) =>
  loadPlainIndex(join(repository, '.git/index'), idBytes);

describe('an index with nothing beyond its tree', () => {
  it.each([2, 4])('is read in version %s', version => {
    const repository = makeRepository(FILES);
    writeFiles(repository, { 'run.sh': '#!/bin/sh\n' });
    chmodSync(join(repository, 'run.sh'), 0o755);
    symlinkSync('a.txt', join(repository, 'link'));
    commitFiles(repository, {}, 'more');
    git(repository, 'update-index', `--index-version=${version}`);
    git(repository, 'read-tree', 'HEAD');
    git(repository, 'update-index', '--refresh');
    const index = read(repository) as PlainIndex;
    expect(index.tree).toBe(git(repository, 'rev-parse', 'HEAD^{tree}'));
    const listed = git(repository, 'ls-files', '--stage', '-z').split('\0').filter(Boolean);
    const described = readPaths(index).map((path, entry) => {
      const mode = entryMode(index, entry).toString(8);
      return `${mode} ${entryId(index, entry)} 0\t${Buffer.from(path, 'latin1').toString('utf8')}`;
    });
    expect(described).toEqual(listed);
    expect(index.examples).toEqual({ file: 'a.txt', executable: 'run.sh' });
  });

  it('is read with ids of SHA-256', () => {
    const repository = join(tempDir(), 'repo');
    mkdirSync(repository);
    git(repository, 'init', '--quiet', '--object-format=sha256');
    commitFiles(repository, FILES);
    expect(read(repository, 32)?.tree).toBe(git(repository, 'rev-parse', 'HEAD^{tree}'));
  });
});

test.each<[string, (repository: string) => void]>([
  ['an assume-unchanged file', path => git(path, 'update-index', '--assume-unchanged', 'a.txt')],
  ['a file outside of a sparse checkout', path => git(path, 'update-index', '--skip-worktree', 'a.txt')],
  [
    'an intent-to-add file',
    path => {
      writeFiles(path, { 'later.txt': 'x\n' });
      git(path, 'add', '--intent-to-add', 'later.txt');
    },
  ],
  [
    'a submodule',
    path => {
      const id = git(path, 'rev-parse', 'HEAD');
      git(path, 'update-index', '--add', '--cacheinfo', `160000,${id},sub`);
    },
  ],
  ['entries in another file', path => git(path, 'update-index', '--split-index')],
  [
    'a change that invalidates its tree',
    path => {
      writeFiles(path, { 'a.txt': 'changed\n' });
      git(path, 'update-index', 'a.txt');
    },
  ],
])('an index with %s is not plain', (_, change) => {
  const repository = makeRepository(FILES);
  expect(read(repository)).toBeDefined();
  change(repository);
  expect(read(repository)).toBeUndefined();
});

test('an index with resolved conflicts is not plain', () => {
  const repository = makeRepository(FILES);
  git(repository, 'switch', '--quiet', '-c', 'other');
  commitFiles(repository, { 'a.txt': 'theirs\n' });
  git(repository, 'switch', '--quiet', '-');
  commitFiles(repository, { 'a.txt': 'ours\n' });
  expect(() => git(repository, 'merge', 'other')).toThrow();
  git(repository, 'add', 'a.txt');
  git(repository, 'write-tree');
  expect(readFileSync(join(repository, '.git/index')).includes('REUC')).toBe(true);
  expect(read(repository)).toBeUndefined();
});

test('a damaged index is not plain', () => {
  const repository = makeRepository(FILES);
  const bytes = readFileSync(join(repository, '.git/index'));
  bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60);
  writeFiles(repository, { '.git/index': bytes });
  expect(read(repository)).toBeUndefined();
});

test('a missing or truncated index is not plain', () => {
  expect(loadPlainIndex(join(tempDir(), 'index'), 20)).toBeUndefined();
  const repository = makeRepository(FILES);
  writeFiles(repository, { '.git/index': Buffer.from('DIRC\0\0\0\x02\0\0\0\x09') });
  expect(read(repository)).toBeUndefined();
});
