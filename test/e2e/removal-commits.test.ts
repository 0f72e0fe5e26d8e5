import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDesk } from '../helpers/desk.js';
import { thoroughTest } from '../helpers/flavours.js';
import { expectComesBack, expectGone, expectKept, expectProtected } from '../helpers/removal.js';
import { commitFiles, git, writeFiles } from '../helpers/repository.js';
import { listFiles } from '../helpers/round-trip.js';
import { tempDir } from '../helpers/temp.js';

/** Everything that no ref holds goes, as it would after some weeks. */
function loseUnheld(repository: string): void {
  git(repository, 'reflog', 'expire', '--expire=now', '--all');
  git(repository, 'gc', '--quiet', '--prune=now');
}

test('commits that are on no other branch keep a workspace', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'a.txt': 'a\n' }, 'one');
  commitFiles(desk.path, { 'b.txt': 'b\n' }, 'two');
  const names = ['2 commit(s)', 'one', 'two'];
  const result = expectProtected(desk, { kind: 'commits', names, flag: '--discard-commits' });
  expect(result).toMatchObject({ deletedBranch: 'carrel/a', keptBranch: null });
});

thoroughTest('a snapshot holds given up commits when the user has git drop all that is not held', () => {
  const desk = makeDesk();
  const commit = commitFiles(desk.path, { 'a.txt': 'a\n' }, 'one');
  desk.ok('down', 'a', '--discard-commits');
  loseUnheld(desk.repository);
  desk.ok('restore', 'a');
  expect(desk.git('rev-parse', 'HEAD', 'carrel/a')).toBe(`${commit}\n${commit}`);
  expect(git(desk.repository, 'fsck', '--no-dangling', '--no-progress')).toBe('');
});

test('commits on a detached HEAD keep a workspace', () => {
  const desk = makeDesk();
  desk.git('checkout', '--quiet', '--detach');
  commitFiles(desk.path, { 'a.txt': 'a\n' }, 'nowhere else');
  expectProtected(desk, { kind: 'commits', names: ['nowhere else'], flag: '--discard-commits' });
});

thoroughTest('commits on a detached HEAD and others on the branch are both named, and both come back', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'a.txt': 'a\n' }, 'on the branch');
  desk.git('checkout', '--quiet', '--detach', 'main');
  commitFiles(desk.path, { 'b.txt': 'b\n' }, 'on no branch');
  const names = ['on the branch', 'on no branch'];
  expectProtected(desk, { kind: 'commits', names, flag: '--discard-commits' });
});

test('a commit that only the reflog of the workspace knows does not keep it, and is held by the snapshot', () => {
  const desk = makeDesk();
  const commit = commitFiles(desk.path, { 'a.txt': 'a\n' }, 'thrown away, perhaps by mistake');
  desk.git('reset', '--quiet', '--hard', 'main');
  expectGone(desk);
  loseUnheld(desk.repository);
  desk.ok('restore', 'a');
  expect(desk.git('rev-parse', 'HEAD@{1}')).toBe(commit);
  expect(desk.git('show', `${commit}:a.txt`)).toBe('a');
});

thoroughTest('commits that were squashed into one on the base go without a flag, and come back', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'a.txt': 'a\n' }, 'one');
  commitFiles(desk.path, { 'b.txt': 'b\n' }, 'two');
  git(desk.repository, 'merge', '--quiet', '--squash', 'carrel/a');
  git(desk.repository, 'commit', '--quiet', '-m', 'squashed');
  commitFiles(desk.repository, { 'later.txt': 'later\n' }, 'and main went on');
  expect(expectComesBack(desk)).toMatchObject({ deletedBranch: 'carrel/a' });
});

test('commits that were merged or cherry-picked go without a flag, and come back', () => {
  const desk = makeDesk();
  const [one, two] = ['a', 'b'].map(name => commitFiles(desk.path, { [`${name}.txt`]: name }, name));
  commitFiles(desk.repository, { 'meanwhile.txt': 'meanwhile\n' }, 'meanwhile');
  git(desk.repository, 'cherry-pick', String(one), String(two));
  expectComesBack(desk);
  git(desk.repository, 'merge', '--quiet', '--no-edit', 'carrel/a');
  expectComesBack(desk);
});

thoroughTest('a squashed commit that was reverted since is not landed any more', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'a.txt': 'a\n' }, 'one');
  git(desk.repository, 'merge', '--quiet', '--squash', 'carrel/a');
  git(desk.repository, 'commit', '--quiet', '-m', 'squashed');
  git(desk.repository, 'revert', '--no-edit', 'HEAD');
  expect(expectKept(desk)).toMatchObject([{ kind: 'commits' }]);
});

test('a branch that was made and switched to inside is the user’s and stays; the workspace goes', () => {
  const desk = makeDesk();
  desk.git('checkout', '--quiet', '-b', 'feature');
  const commit = commitFiles(desk.path, { 'a.txt': 'a\n' }, 'on feature');
  desk.ok('down', 'a');
  expect(git(desk.repository, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')).toBe(
    `refs/heads/feature ${commit}\nrefs/heads/main ${git(desk.repository, 'rev-parse', 'main')}`,
  );
  desk.ok('restore', 'a');
  expect(desk.git('symbolic-ref', 'HEAD')).toBe('refs/heads/feature');
  expect(desk.git('rev-parse', 'HEAD', 'carrel/a')).toBe(
    `${commit}\n${git(desk.repository, 'rev-parse', 'main')}`,
  );
});

thoroughTest('a branch that was renamed inside is the user’s now, and nothing is said to be deleted', () => {
  const desk = makeDesk();
  desk.git('branch', '--quiet', '-m', 'carrel/a', 'mine');
  const commit = commitFiles(desk.path, { 'a.txt': 'a\n' }, 'on mine');
  const result = desk.carrel.json(desk.repository, 'down', 'a');
  expect(result).toMatchObject({ deletedBranch: null, keptBranch: null });
  expect(git(desk.repository, 'rev-parse', 'mine')).toBe(commit);
});

test('commits on the workspace’s own branch count after another one was switched to', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'a.txt': 'a\n' }, 'left behind');
  desk.git('checkout', '--quiet', '-b', 'feature', 'main');
  expectProtected(desk, { kind: 'commits', names: ['left behind'], flag: '--discard-commits' });
});

thoroughTest('a branch that is checked out elsewhere too stays, and so does the other checkout', () => {
  const desk = makeDesk();
  const commit = commitFiles(desk.path, { 'a.txt': 'a\n' }, 'shared');
  const other = join(tempDir(), 'other');
  git(desk.repository, 'worktree', 'add', '--quiet', '--force', other, 'carrel/a');
  writeFiles(other, { 'mine.txt': 'mine\n' });
  const before = listFiles(other);
  expect(expectKept(desk)).toMatchObject([{ kind: 'commits', flag: '--discard-commits' }]);
  expect(expectGone(desk, ['--discard-commits'])).toMatchObject({
    keptBranch: 'carrel/a',
    deletedBranch: null,
  });
  expect(git(other, 'status', '--porcelain=v2', '--branch')).toBe(
    `# branch.oid ${commit}\n# branch.head carrel/a\n? mine.txt`,
  );
  expect(listFiles(other)).toEqual(before);
  expect(desk.carrel.json(desk.repository, 'restore', 'a')).toMatchObject({ branch: 'carrel/a-restored' });
  const restored = desk.ok('restore', 'a', '--as', 'b');
  expect(git(restored, 'rev-parse', 'HEAD')).toBe(commit);
});

test('commits that another workspace stands on are held by it until it goes', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'a.txt': 'a\n' }, 'below');
  desk.ok('up', 'b', '--base', 'carrel/a');
  desk.ok('down', 'a');
  const refused = desk.carrel.error(desk.repository, 'down', 'b');
  expect(refused).toMatchObject({
    status: 3,
    details: { risks: [{ kind: 'commits', items: [expect.stringContaining('below')] }] },
  });
});
