import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { commitFiles, git, makeRepository } from '../../../test/helpers/repository.js';
import { readLooseCommit, readLooseFile, readLooseObject } from './loose-objects.js';

function makeMerge() {
  const repository = makeRepository({ 'a.txt': 'a\n', 'folder/b.txt': 'b\n', 'ü.txt': 'c\n' });
  git(repository, 'switch', '--quiet', '-c', 'topic');
  const topic = commitFiles(repository, { 'b.txt': 'b\n' });
  git(repository, 'switch', '--quiet', 'main');
  const main = commitFiles(repository, { 'c.txt': 'c\n' });
  git(repository, 'merge', '--quiet', '--no-edit', '-m', 'parent of nothing\n\nparent x', 'topic');
  const merge = git(repository, 'rev-parse', 'HEAD');
  const file = join(repository, '.git/objects', merge.slice(0, 2), merge.slice(2));
  return { repository, store: join(repository, '.git'), merge, parents: [main, topic], file };
}

test('a commit has its tree and parents, and a file at the top its content', () => {
  const { repository, store, merge, parents } = makeMerge();
  expect(readLooseCommit(store, merge)).toEqual({
    tree: git(repository, 'rev-parse', 'HEAD^{tree}'),
    parents,
  });
  expect(readLooseFile(store, merge, 'a.txt')?.toString()).toBe('a\n');
  expect(readLooseFile(store, merge, 'folder')).toBeUndefined();
  expect(readLooseFile(store, merge, 'none.txt')).toBeUndefined();
});

test('the first commit has no parents', () => {
  const repository = makeRepository();
  const id = git(repository, 'rev-parse', 'HEAD');
  expect(readLooseCommit(join(repository, '.git'), id)?.parents).toEqual([]);
});

test('an object that is missing, damaged or not a commit is left to git', () => {
  const { repository, store, merge, parents, file } = makeMerge();
  expect(readLooseCommit(store, git(repository, 'rev-parse', 'HEAD^{tree}'))).toBeUndefined();
  expect(readLooseObject(store, 'main')).toBeUndefined();
  expect(readLooseObject(store, `../${merge}`)).toBeUndefined();
  const [first = ''] = parents;
  // Git's objects are read-only, for their owner too.
  chmodSync(file, 0o644);
  writeFileSync(file, readFileSync(join(store, 'objects', first.slice(0, 2), first.slice(2))));
  expect(readLooseObject(store, merge), 'another object').toBeUndefined();
  writeFileSync(file, deflateSync(Buffer.from('commit 3\0abc')));
  expect(readLooseObject(store, merge), 'invented').toBeUndefined();
  writeFileSync(file, 'junk');
  expect(readLooseObject(store, merge), 'junk').toBeUndefined();
});

test('a packed object is left to git', () => {
  const { repository, store, merge } = makeMerge();
  expect(readLooseObject(store, merge)).toBeDefined();
  git(repository, 'repack', '-a', '-d', '--quiet');
  expect(readLooseObject(store, merge)).toBeUndefined();
});

test('objects with long ids are read too', () => {
  const repository = join(makeRepository(), 'long');
  git('/', 'init', '--quiet', '--object-format=sha256', repository);
  const id = commitFiles(repository, { 'a.txt': 'a\n' });
  expect(id).toHaveLength(64);
  expect(readLooseFile(join(repository, '.git'), id, 'a.txt')?.toString()).toBe('a\n');
});
