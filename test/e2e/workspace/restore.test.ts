import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { listFiles } from '../../helpers/git/round-trip.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { describeWork, expectComesBack, expectKept, normalize } from '../../helpers/workspace/removal.js';
import { DESK_FILES, type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

const read = (path: string, name: string): string => readFileSync(join(path, name), 'utf8');

const snapshotsOf = (fixture: Fixture): Snapshot[] =>
  fixture.carrel.json<Snapshot[]>(fixture.repository, 'snapshots');

test('a name selects its newest snapshot, an id or a prefix selects itself', () => {
  const fixture = makeFixture();
  const first = fixture.ok('snapshot', 'a', '-m', 'as it was created');
  writeFiles(fixture.path, { 'new.txt': 'second\n' });
  const second = fixture.ok('snapshot', 'a');
  writeFiles(fixture.path, { 'new.txt': 'third\n' });
  fixture.ok('down', 'a', '--discard-changes');
  expect(snapshotsOf(fixture).map(({ id, reason }) => [id, reason])).toEqual([
    [expect.any(String), 'down'],
    [second, 'asked'],
    [first, 'asked'],
  ]);
  expect(read(fixture.ok('restore', 'a'), 'new.txt')).toBe('third\n');
  expect(read(fixture.ok('restore', second, '--as', 'b'), 'new.txt')).toBe('second\n');
  const prefix = second.slice(0, -1);
  expect(read(fixture.ok('restore', prefix, '--as', 'c'), 'new.txt')).toBe('second\n');
  expect(readdirSync(fixture.ok('restore', first, '--as', 'd'))).not.toContain('new.txt');
  expect(snapshotsOf(fixture)).toHaveLength(3);
});

thoroughTest(
  'a restored workspace is like any other: it has its own ports, is protected, and can be restored again',
  () => {
    const fixture = makeFixture();
    commitFiles(fixture.path, { 'done.txt': 'done\n' }, 'done');
    writeFiles(fixture.path, { 'new.txt': 'x\n' });
    fixture.ok('down', 'a', '--discard-changes', '--discard-commits');
    const restored = fixture.carrel.json<Workspace>(fixture.repository, 'restore', 'a');
    expect(restored).toMatchObject({ name: 'a', branch: 'carrel/a', status: 'ready', base: { ref: 'main' } });
    expect(restored.ports).toHaveLength(10);
    expect(expectKept(fixture, ['--discard-changes'])).toMatchObject([{ kind: 'commits' }]);
    expectComesBack(fixture, ['--discard-changes', '--discard-commits']);
    expect(fixture.ok('diff', 'a', '--name-only')).toBe('done.txt\nnew.txt');
    fixture.ok('land', 'a', '-m', 'landed after all');
    expect(read(fixture.repository, 'new.txt')).toBe('x\n');
  },
);

thoroughTest('a snapshot is restored under another name and branch while its workspace exists', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'done.txt': 'done\n' }, 'done');
  writeFiles(fixture.path, { 'new.txt': 'x\n' });
  fixture.ok('snapshot', 'a');
  const before = describeWork(fixture);
  expect(fixture.carrel.error(fixture.repository, 'restore', 'a')).toMatchObject({
    code: 'WORKSPACE_EXISTS',
  });
  const other = fixture.ok('restore', 'a', '--as', 'b');
  expect(git(other, 'symbolic-ref', 'HEAD')).toBe('refs/heads/carrel/b');
  expect(listFiles(other)).toEqual(before.files);
  commitFiles(other, { 'more.txt': 'more\n' }, 'more');
  expect(describeWork(fixture)).toEqual(before);
});

thoroughTest('included files are restored, and still do not count as work', () => {
  const repository = makeRepository({ ...DESK_FILES, '.gitignore': '.env\n', '.worktreeinclude': '.env\n' });
  writeFiles(repository, { '.env': 'SECRET=1\n' });
  const fixture = makeFixture({ repository });
  expectComesBack(fixture);
  expect(read(fixture.path, '.env')).toBe('SECRET=1\n');
  writeFiles(repository, { '.env': 'SECRET=2\n' });
  expectComesBack(fixture);
  expect(read(fixture.path, '.env')).toBe('SECRET=1\n');
});

thoroughTest('a snapshot outlives its base', () => {
  const fixture = makeFixture();
  fixture.git('checkout', '--quiet', '--orphan', 'fresh');
  const commit = commitFiles(fixture.path, { 'new.txt': 'x\n' }, 'a new beginning');
  fixture.git('branch', '--quiet', '-M', 'fresh', 'carrel/a');
  fixture.ok('down', 'a', '--discard-commits');
  git(fixture.repository, 'commit', '--quiet', '--amend', '-m', 'written anew');
  git(fixture.repository, 'reflog', 'expire', '--expire=now', '--all');
  git(fixture.repository, 'gc', '--quiet', '--prune=now');
  fixture.ok('restore', 'a');
  expect(fixture.git('rev-parse', 'HEAD')).toBe(commit);
  expect(read(fixture.path, 'new.txt')).toBe('x\n');
});

thoroughTest('with Carrel’s own state lost, git alone has the work', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'x\n', 'README.md': 'edited\n' });
  fixture.ok('down', 'a', '--discard-changes');
  rmSync(fixture.carrel.stateDir, { recursive: true });
  const ref = git(fixture.repository, 'for-each-ref', '--format=%(refname)', 'refs/carrel/snapshots');
  expect(git(fixture.repository, 'show', `${ref}:new.txt`)).toBe('x');
  expect(git(fixture.repository, 'diff', '--name-status', 'main', ref)).toBe('M\tREADME.md\nA\tnew.txt');
  expect(fixture.carrel.error(fixture.repository, 'restore', 'a')).toMatchObject({ status: 5 });
  fixture.ok('up', 'a');
});

test('an incomplete snapshot is refused, and nothing is created', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'a content that is nowhere else\n' });
  fixture.ok('down', 'a', '--discard-changes');
  const [snapshot] = snapshotsOf(fixture) as [Snapshot];
  const blob = git(fixture.repository, 'rev-parse', `${snapshot.ref}:new.txt`);
  const before = fingerprint(fixture.repository);
  rmSync(join(fixture.repository, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const broken = fixture.run('restore', 'a');
  expect(broken.status).toBe(3);
  expect(normalize(fixture, broken)).toMatchInlineSnapshot(`
    "carrel: the snapshot <snap> is incomplete: refs/carrel/snapshots/<snap> has changed
    hint: check the repository with: git fsck"
  `);
  git(fixture.repository, 'update-ref', '-d', snapshot.ref);
  expect(fixture.carrel.error(fixture.repository, 'restore', 'a')).toMatchObject({ code: 'SNAPSHOT_BROKEN' });
  expect(fixture.carrel.json(fixture.repository, 'ls')).toEqual([]);
  expect(fingerprint(fixture.repository)).toEqual(before);
  expect(findLeftovers(fixture)).toEqual([`missing: ref of ${snapshot.id}`]);
});

thoroughTest(
  'outside of any repository a name has to be of one alone; inside of one it is never another’s',
  () => {
    const fixture = makeFixture();
    writeFiles(fixture.path, { 'new.txt': 'x\n' });
    const outside = tempDir();
    fixture.carrel.ok(outside, 'down', 'a', '--discard-changes');
    const elsewhere = makeRepository({}, join(tempDir(), 'elsewhere'));
    expect(fixture.carrel.error(elsewhere, 'restore', 'a')).toMatchObject({
      status: 5,
      code: 'SNAPSHOT_NOT_FOUND',
    });
    expect(fixture.carrel.ok(outside, 'restore', 'a')).toBe(fixture.path);
    expect(read(fixture.path, 'new.txt')).toBe('x\n');
    fixture.carrel.ok(elsewhere, 'up', 'a');
    fixture.carrel.ok(elsewhere, 'down', 'a');
    expect(fixture.carrel.error(outside, 'restore', 'a', '--as', 'b')).toMatchObject({
      code: 'WORKSPACE_AMBIGUOUS',
    });
  },
);
