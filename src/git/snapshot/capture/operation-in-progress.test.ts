import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import {
  addWorktree,
  captureRequest,
  expectRoundTrip,
  placeOf,
} from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { captureWorkTree } from './capture.js';

/** A work tree whose branch changed the file that `other` changed as well. */
function makeConflict(): { repository: string; work: string; ours: string; other: string } {
  const repository = makeRepository({ 'file.txt': 'base\n', 'quiet.txt': 'quiet\n', 'deleted.txt': 'd\n' });
  git(repository, 'switch', '--quiet', '-c', 'other');
  const other = commitFiles(
    repository,
    { 'file.txt': 'theirs\n', 'deleted.txt': 'changed by them\n' },
    'theirs',
  );
  git(repository, 'switch', '--quiet', 'main');
  const work = addWorktree(repository);
  git(work, 'rm', '--quiet', 'deleted.txt');
  const ours = commitFiles(work, { 'file.txt': 'ours\n' }, 'ours');
  return { repository, work, ours, other };
}

function expectConflict(work: string, ...args: string[]): void {
  expect(() => git(work, '-c', 'core.editor=true', ...args)).toThrow();
}

const settle = (work: string) => {
  writeFiles(work, { 'file.txt': 'settled\n' });
  git(work, 'add', '--all');
};

thoroughTest('a merge with conflicts continues after a restore', async () => {
  const { repository, work, ours, other } = makeConflict();
  expectConflict(work, 'merge', 'other');
  writeFiles(work, { 'file.txt': 'half settled\n' });
  const { restored } = await expectRoundTrip(repository, work);
  expect(git(restored, 'ls-files', '--unmerged').split('\n')).toHaveLength(5);
  expect(git(restored, 'show', ':2:file.txt')).toBe('ours');
  settle(restored);
  git(restored, 'commit', '--quiet', '--no-edit');
  expect(git(restored, 'log', '-1', '--format=%P')).toBe(`${ours} ${other}`);
});

thoroughTest("git's record of a resolved conflict is kept", async () => {
  const { repository, work } = makeConflict();
  expectConflict(work, 'merge', 'other');
  settle(work);
  const { restored } = await expectRoundTrip(repository, work);
  git(restored, 'checkout', '--quiet', '--merge', '--', 'file.txt');
  expect(readFileSync(join(restored, 'file.txt'), 'utf8')).toContain('<<<<<<< ours');
});

test('a rebase continues after a restore, with its edited todo list', async () => {
  const { repository, work } = makeConflict();
  const last = commitFiles(work, { 'later.txt': 'later\n' }, 'later');
  expectConflict(work, 'rebase', 'other');
  const todo = join(placeOf(work).gitDir, 'rebase-merge', 'git-rebase-todo');
  writeFileSync(todo, `exec echo from-the-list > listed.txt\npick ${last} later\n`);
  const { restored, meta } = await expectRoundTrip(repository, work);
  expect(meta.head.ref).toBeNull();
  git(repository, 'update-ref', 'refs/heads/carrel/work', last);
  settle(restored);
  git(restored, '-c', 'core.editor=true', 'rebase', '--continue');
  expect(readFileSync(join(restored, 'listed.txt'), 'utf8')).toBe('from-the-list\n');
  expect(git(restored, 'log', '--format=%s', '-3')).toBe('later\nours\ntheirs');
  expect(git(restored, 'symbolic-ref', 'HEAD')).toBe('refs/heads/carrel/work');
});

thoroughTest('changes autostashed by a rebase are kept', async () => {
  const { repository, work, ours } = makeConflict();
  writeFiles(work, { 'quiet.txt': 'stashed by the rebase\n' });
  expectConflict(work, 'rebase', '--autostash', 'other');
  const { restored } = await expectRoundTrip(repository, work);
  git(repository, 'update-ref', 'refs/heads/carrel/work', ours);
  git(restored, 'rebase', '--abort');
  expect(readFileSync(join(restored, 'quiet.txt'), 'utf8')).toBe('stashed by the rebase\n');
  expect(git(restored, 'rev-parse', 'HEAD')).toBe(ours);
});

thoroughTest('a cherry-pick of several commits continues after a restore', async () => {
  const { repository, work } = makeConflict();
  git(repository, 'switch', '--quiet', 'other');
  commitFiles(repository, { 'next.txt': 'next\n' }, 'next');
  git(repository, 'switch', '--quiet', 'main');
  expectConflict(work, 'cherry-pick', 'other~1', 'other');
  const { restored } = await expectRoundTrip(repository, work);
  settle(restored);
  git(restored, '-c', 'core.editor=true', 'cherry-pick', '--continue');
  expect(git(restored, 'log', '--format=%s', '-3')).toBe('next\ntheirs\nours');
});

thoroughTest('a revert continues after a restore', async () => {
  const repository = makeRepository({ 'file.txt': 'one\n' });
  commitFiles(repository, { 'file.txt': 'two\n' }, 'two');
  commitFiles(repository, { 'file.txt': 'three\n' }, 'three');
  const work = addWorktree(repository);
  expectConflict(work, 'revert', 'HEAD~1');
  const { restored } = await expectRoundTrip(repository, work);
  settle(restored);
  git(restored, '-c', 'core.editor=true', 'revert', '--continue');
  expect(git(restored, 'log', '--format=%s', '-1')).toBe('Revert "two"');
});

thoroughTest('a bisect continues after a restore', async () => {
  const repository = makeRepository();
  for (let commit = 1; commit <= 8; commit++)
    commitFiles(repository, { 'n.txt': `${commit}\n` }, `commit ${commit}`);
  const work = addWorktree(repository);
  git(work, 'bisect', 'start', 'HEAD', 'HEAD~8');
  git(work, 'bisect', 'good');
  const { restored } = await expectRoundTrip(repository, work);
  expect(
    git(restored, 'bisect', 'log')
      .split('\n')
      .filter(line => line.startsWith('git bisect')),
  ).toHaveLength(2);
  expect(git(restored, 'bisect', 'bad')).toMatch(/Bisecting|first bad commit/);
});

thoroughTest('a stopped git am continues after a restore', async () => {
  const { repository, work } = makeConflict();
  git(repository, 'format-patch', '--quiet', '-1', 'other', '-o', work);
  expectConflict(work, 'am', '--3way', '0001-theirs.patch');
  const { restored } = await expectRoundTrip(repository, work);
  writeFiles(restored, { 'file.txt': 'settled\n' });
  git(restored, 'add', 'file.txt', 'deleted.txt');
  git(restored, 'am', '--continue');
  expect(git(restored, 'log', '--format=%s', '-2')).toBe('theirs\nours');
});

thoroughTest('commits on a detached HEAD are kept, also abandoned ones', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  git(work, 'switch', '--quiet', '--detach');
  const left = commitFiles(work, { 'left.txt': 'left behind\n' }, 'left behind');
  git(work, 'reset', '--quiet', '--hard', 'main');
  const amended = commitFiles(work, { 'amended.txt': 'before\n' }, 'before amending');
  git(work, 'commit', '--quiet', '--amend', '-m', 'after amending');
  const head = git(work, 'rev-parse', 'HEAD');
  const { captured, restored, meta } = await expectRoundTrip(repository, work);
  expect(meta.head).toEqual({ ref: null, branch: null, commit: head });
  for (const commit of [left, amended]) expect(git(repository, 'cat-file', '-t', commit)).toBe('commit');
  expect(git(repository, 'show', `${left}:left.txt`)).toBe('left behind');
  const kept = git(repository, 'rev-list', '--parents', '-1', `${captured.commit}^3`).split(' ').slice(1);
  expect(kept.sort()).toEqual([amended, left].sort());
  expect(git(restored, 'rev-parse', 'HEAD@{1}')).toBe(amended);
});

test('a commit with an incomplete history is left out of the snapshot', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  const parent = commitFiles(work, { 'a.txt': 'a\n' }, 'parent');
  const child = commitFiles(work, { 'b.txt': 'b\n' }, 'child');
  git(work, 'reset', '--quiet', '--hard', 'main');
  const other = commitFiles(work, { 'c.txt': 'c\n' }, 'whole');
  git(work, 'reset', '--quiet', '--hard', 'main');
  const objects = join(placeOf(work).commonDir, 'objects');
  const file = join(objects, parent.slice(0, 2), parent.slice(2));
  rmSync(file);
  const { commit } = await captureWorkTree(testGit(), placeOf(work), captureRequest());
  const kept = git(repository, 'rev-list', '--parents', '-1', `${commit}^3`).split(' ').slice(1);
  expect(kept).toEqual([other]);
  expect(kept).not.toContain(child);
});
