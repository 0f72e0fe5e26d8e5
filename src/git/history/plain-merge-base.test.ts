import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFiles, git, makeRepository } from '../../../test/helpers/repository.js';
import { countPlainCommits, findPlainMergeBase } from './plain-merge-base.js';

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

test('a line of commits is counted as git counts it; merges, replacements and packed commits are left to git', () => {
  const { repository, gitDir, first, second, third } = makeHistory();
  const count = () => countPlainCommits(gitDir, first, third);
  expect(count()).toBe(Number(git(repository, 'rev-list', '--count', `${first}..${third}`)));
  expect(countPlainCommits(gitDir, third, third)).toBe(0);
  expect(countPlainCommits(gitDir, third, first)).toBeUndefined();
  git(repository, 'switch', '--quiet', '-c', 'topic', second);
  commitFiles(repository, { 'c.txt': 'c\n' });
  git(repository, 'merge', '--quiet', '--no-edit', 'main');
  expect(countPlainCommits(gitDir, second, git(repository, 'rev-parse', 'HEAD'))).toBeUndefined();
  git(repository, 'replace', third, first);
  expect(count()).toBeUndefined();
  git(repository, 'pack-refs', '--all');
  expect(count()).toBeUndefined();
  git(repository, 'replace', '--delete', third);
  git(repository, 'gc', '--quiet');
  expect(count()).toBeUndefined();
});
