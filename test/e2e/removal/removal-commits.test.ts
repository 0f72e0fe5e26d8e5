import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../helpers/flavours.js';
import { listFiles } from '../../helpers/git/round-trip.js';
import { commitFiles, git, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { expectComesBack, expectGone, expectKept, expectProtected } from '../../helpers/workspace/removal.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';

/** Everything that no ref holds goes, as it would after some weeks. */
function loseUnheld(repository: string): void {
  git(repository, 'reflog', 'expire', '--expire=now', '--all');
  git(repository, 'gc', '--quiet', '--prune=now');
}

test('commits that are on no other branch keep a workspace', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'one');
  commitFiles(fixture.path, { 'b.txt': 'b\n' }, 'two');
  const names = ['2 commits', 'one', 'two'];
  const result = expectProtected(fixture, { kind: 'commits', names, flag: '--discard-commits' });
  expect(result).toMatchObject({ deletedBranch: 'carrel/a', keptBranch: null });
});

thoroughTest('a snapshot keeps discarded commits when the user prunes unreachable objects', () => {
  const fixture = makeFixture();
  const commit = commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'one');
  fixture.ok('down', 'a', '--discard-commits');
  loseUnheld(fixture.repository);
  fixture.ok('restore', 'a');
  expect(fixture.git('rev-parse', 'HEAD', 'carrel/a')).toBe(`${commit}\n${commit}`);
  expect(git(fixture.repository, 'fsck', '--no-dangling', '--no-progress')).toBe('');
});

thoroughTest('commits on a detached HEAD keep a workspace', () => {
  const fixture = makeFixture();
  fixture.git('checkout', '--quiet', '--detach');
  commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'nowhere else');
  expectProtected(fixture, { kind: 'commits', names: ['nowhere else'], flag: '--discard-commits' });
});

thoroughTest(
  'commits on a detached HEAD and others on the branch are both reported, and both are restored',
  () => {
    const fixture = makeFixture();
    commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'on the branch');
    fixture.git('checkout', '--quiet', '--detach', 'main');
    commitFiles(fixture.path, { 'b.txt': 'b\n' }, 'on no branch');
    const names = ['on the branch', 'on no branch'];
    expectProtected(fixture, { kind: 'commits', names, flag: '--discard-commits' });
  },
);

thoroughTest(
  "a commit that is only in the workspace's reflog does not block a removal, and is in the snapshot",
  () => {
    const fixture = makeFixture();
    const commit = commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'thrown away, perhaps by mistake');
    fixture.git('reset', '--quiet', '--hard', 'main');
    expectGone(fixture);
    loseUnheld(fixture.repository);
    fixture.ok('restore', 'a');
    expect(fixture.git('rev-parse', 'HEAD@{1}')).toBe(commit);
    expect(fixture.git('show', `${commit}:a.txt`)).toBe('a');
  },
);

thoroughTest('commits that were squashed into one on the base need no flag, and are restored', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'one');
  commitFiles(fixture.path, { 'b.txt': 'b\n' }, 'two');
  git(fixture.repository, 'merge', '--quiet', '--squash', 'carrel/a');
  git(fixture.repository, 'commit', '--quiet', '-m', 'squashed');
  commitFiles(fixture.repository, { 'later.txt': 'later\n' }, 'and main went on');
  expect(expectComesBack(fixture)).toMatchObject({ deletedBranch: 'carrel/a' });
});

test('commits that were merged or cherry-picked need no flag, and are restored', () => {
  const fixture = makeFixture();
  const [one, two] = ['a', 'b'].map(name => commitFiles(fixture.path, { [`${name}.txt`]: name }, name));
  commitFiles(fixture.repository, { 'meanwhile.txt': 'meanwhile\n' }, 'meanwhile');
  git(fixture.repository, 'cherry-pick', String(one), String(two));
  expectComesBack(fixture);
  git(fixture.repository, 'merge', '--quiet', '--no-edit', 'carrel/a');
  expectComesBack(fixture);
});

thoroughTest('a squashed commit that was reverted since is not landed any more', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'one');
  git(fixture.repository, 'merge', '--quiet', '--squash', 'carrel/a');
  git(fixture.repository, 'commit', '--quiet', '-m', 'squashed');
  git(fixture.repository, 'revert', '--no-edit', 'HEAD');
  expect(expectKept(fixture)).toMatchObject([{ kind: 'commits' }]);
});

thoroughTest(
  'a branch that was made and switched to inside is the user’s and stays; the workspace goes',
  () => {
    const fixture = makeFixture();
    fixture.git('checkout', '--quiet', '-b', 'feature');
    const commit = commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'on feature');
    fixture.ok('down', 'a');
    expect(git(fixture.repository, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')).toBe(
      `refs/heads/feature ${commit}\nrefs/heads/main ${git(fixture.repository, 'rev-parse', 'main')}`,
    );
    fixture.ok('restore', 'a');
    expect(fixture.git('symbolic-ref', 'HEAD')).toBe('refs/heads/feature');
    expect(fixture.git('rev-parse', 'HEAD', 'carrel/a')).toBe(
      `${commit}\n${git(fixture.repository, 'rev-parse', 'main')}`,
    );
  },
);

thoroughTest('a branch that was renamed inside is the user’s now, and nothing is said to be deleted', () => {
  const fixture = makeFixture();
  fixture.git('branch', '--quiet', '-m', 'carrel/a', 'mine');
  const commit = commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'on mine');
  const result = fixture.carrel.json(fixture.repository, 'down', 'a');
  expect(result).toMatchObject({ deletedBranch: null, keptBranch: null });
  expect(git(fixture.repository, 'rev-parse', 'mine')).toBe(commit);
});

thoroughTest('commits on the workspace’s own branch count after another one was switched to', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'left behind');
  fixture.git('checkout', '--quiet', '-b', 'feature', 'main');
  expectProtected(fixture, { kind: 'commits', names: ['left behind'], flag: '--discard-commits' });
});

thoroughTest('a branch that is checked out elsewhere too stays, and so does the other checkout', () => {
  const fixture = makeFixture();
  const commit = commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'shared');
  const other = join(tempDir(), 'other');
  git(fixture.repository, 'worktree', 'add', '--quiet', '--force', other, 'carrel/a');
  writeFiles(other, { 'mine.txt': 'mine\n' });
  const before = listFiles(other);
  expect(expectKept(fixture)).toMatchObject([{ kind: 'commits', flag: '--discard-commits' }]);
  expect(expectGone(fixture, ['--discard-commits'])).toMatchObject({
    keptBranch: 'carrel/a',
    deletedBranch: null,
  });
  expect(git(other, 'status', '--porcelain=v2', '--branch')).toBe(
    `# branch.oid ${commit}\n# branch.head carrel/a\n? mine.txt`,
  );
  expect(listFiles(other)).toEqual(before);
  expect(fixture.carrel.json(fixture.repository, 'restore', 'a')).toMatchObject({
    branch: 'carrel/a-restored',
  });
  const restored = fixture.ok('restore', 'a', '--as', 'b');
  expect(git(restored, 'rev-parse', 'HEAD')).toBe(commit);
});

test('commits that another workspace is based on are kept until it is removed', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'below');
  fixture.ok('up', 'b', '--base', 'carrel/a');
  fixture.ok('down', 'a');
  const refused = fixture.carrel.error(fixture.repository, 'down', 'b');
  expect(refused).toMatchObject({
    status: 3,
    details: { risks: [{ kind: 'commits', items: [expect.stringContaining('below')] }] },
  });
});
