import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFiles, git, makeRepository } from '../../../test/helpers/repository.js';
import { findPlainMergeBase } from './plain-merge-base.js';

function makeHistory() {
  const repository = makeRepository();
  const first = git(repository, 'rev-parse', 'HEAD');
  const second = commitFiles(repository, { 'a.txt': 'a\n' });
  const third = commitFiles(repository, { 'b.txt': 'b\n' });
  return { repository, gitDir: join(repository, '.git'), first, second, third };
}

const ask = (repository: string, commit: string) => git(repository, 'merge-base', 'HEAD', commit);

test('an ancestor of HEAD is the merge base, and so is HEAD of its descendants', () => {
  const { repository, gitDir, first, second, third } = makeHistory();
  for (const commit of [first, second, third])
    expect(findPlainMergeBase(gitDir, commit)).toBe(ask(repository, commit));
  git(repository, 'checkout', '--quiet', '--detach', first);
  expect(findPlainMergeBase(gitDir, third)).toBe(ask(repository, third));
});

test('a merge leads to its parents', () => {
  const { repository, gitDir, first, second } = makeHistory();
  git(repository, 'switch', '--quiet', '-c', 'topic', first);
  const topic = commitFiles(repository, { 'c.txt': 'c\n' });
  git(repository, 'switch', '--quiet', 'main');
  git(repository, 'merge', '--quiet', '--no-edit', 'topic');
  for (const commit of [first, second, topic])
    expect(findPlainMergeBase(gitDir, commit)).toBe(ask(repository, commit));
});

test('commits on two sides, packed ones and long ways are left to git', () => {
  const { repository, gitDir, first, third } = makeHistory();
  git(repository, 'switch', '--quiet', '-c', 'topic', first);
  commitFiles(repository, { 'c.txt': 'c\n' });
  expect(findPlainMergeBase(gitDir, third)).toBeUndefined();
  git(repository, 'switch', '--quiet', 'main');
  const tree = git(repository, 'rev-parse', 'HEAD^{tree}');
  let tip = third;
  for (let count = 0; count < 40; count++)
    tip = git(repository, 'commit-tree', '-p', tip, '-m', String(count), tree);
  git(repository, 'update-ref', 'refs/heads/main', tip);
  expect(findPlainMergeBase(gitDir, first)).toBeUndefined();
  git(repository, 'reset', '--quiet', '--hard', third);
  git(repository, 'repack', '-a', '-d', '--quiet');
  git(repository, 'prune-packed');
  expect(findPlainMergeBase(gitDir, first)).toBeUndefined();
});
