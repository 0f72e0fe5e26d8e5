import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, makeRepository } from '../../../test/helpers/repository.js';
import { readPlainRefs } from './plain-refs.js';

async function look(repository: string) {
  const refs = await readPlainRefs(join(repository, '.git'));
  if (!refs) throw new Error('the refs are not plain');
  return refs;
}

/** As they are after `git branch`, after `git pack-refs`, and after a change since. */
const forms = {
  loose: () => {},
  packed: (repository: string) => git(repository, 'pack-refs', '--all'),
  'packed, then changed': (repository: string) => {
    git(repository, 'pack-refs', '--all');
    git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'second');
  },
};

test.each(Object.entries(forms))('finds what git finds when refs are %s', async (_, bringAbout) => {
  const repository = makeRepository();
  git(repository, 'branch', 'deep/er');
  git(repository, 'tag', '-a', '-m', 'a tag', 'v1');
  bringAbout(repository);
  const refs = await look(repository);
  for (const ref of ['refs/heads/main', 'refs/heads/deep/er'])
    expect(await refs.find(ref)).toBe(git(repository, 'rev-parse', ref));
  expect(await refs.find('refs/heads/deep')).toBeUndefined();
  expect(await refs.find('refs/heads/none')).toBeUndefined();
});

test.each(Object.entries(forms))('knows what is free when refs are %s', async (_, bringAbout) => {
  const repository = makeRepository();
  git(repository, 'branch', 'deep/er');
  bringAbout(repository);
  const refs = await look(repository);
  for (const free of ['new', 'new/er', 'deep/new', 'mai', 'main2'])
    expect(await refs.isFree(`refs/heads/${free}`), free).toBe(true);
  for (const taken of ['main', 'deep', 'deep/er', 'main/sub', 'deep/er/sub'])
    expect(await refs.isFree(`refs/heads/${taken}`), taken).toBeUndefined();
});

test('a symbolic ref is left to git', async () => {
  const repository = makeRepository();
  git(repository, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  const refs = await look(repository);
  expect(await refs.find('refs/heads/alias')).toBeUndefined();
  expect(await refs.isFree('refs/heads/alias')).toBeUndefined();
});

test('a very long list of packed refs is left to git', async () => {
  const repository = makeRepository();
  const id = git(repository, 'rev-parse', 'HEAD');
  const lines = Array.from({ length: 6000 }, (_, index) => `${id} refs/tags/v${index}\n`);
  writeFileSync(join(repository, '.git/packed-refs'), lines.join(''));
  expect(await readPlainRefs(join(repository, '.git'))).toBeUndefined();
});
