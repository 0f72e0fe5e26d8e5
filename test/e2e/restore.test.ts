import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../src/domain/snapshot.js';
import type { Workspace } from '../../src/domain/workspace.js';
import { DESK_FILES, type Desk, makeDesk } from '../helpers/desk.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { thoroughTest } from '../helpers/flavours.js';
import { findLeftovers } from '../helpers/leftovers.js';
import { describeWork, expectComesBack, expectKept, normalize } from '../helpers/removal.js';
import { commitFiles, git, makeRepository, writeFiles } from '../helpers/repository.js';
import { listFiles } from '../helpers/round-trip.js';
import { tempDir } from '../helpers/temp.js';

const read = (path: string, name: string): string => readFileSync(join(path, name), 'utf8');

const snapshotsOf = (desk: Desk): Snapshot[] => desk.carrel.json<Snapshot[]>(desk.repository, 'snapshots');

test('a name stands for its newest snapshot, an id or a prefix of one for itself', () => {
  const desk = makeDesk();
  const first = desk.ok('snapshot', 'a', '-m', 'as it was made');
  writeFiles(desk.path, { 'new.txt': 'second\n' });
  const second = desk.ok('snapshot', 'a');
  writeFiles(desk.path, { 'new.txt': 'third\n' });
  desk.ok('down', 'a', '--discard-changes');
  expect(snapshotsOf(desk).map(({ id, reason }) => [id, reason])).toEqual([
    [expect.any(String), 'down'],
    [second, 'asked'],
    [first, 'asked'],
  ]);
  expect(read(desk.ok('restore', 'a'), 'new.txt')).toBe('third\n');
  expect(read(desk.ok('restore', second, '--as', 'b'), 'new.txt')).toBe('second\n');
  const prefix = second.slice(0, -1);
  expect(read(desk.ok('restore', prefix, '--as', 'c'), 'new.txt')).toBe('second\n');
  expect(readdirSync(desk.ok('restore', first, '--as', 'd'))).not.toContain('new.txt');
  expect(snapshotsOf(desk)).toHaveLength(3);
});

thoroughTest(
  'a restored workspace is one like any other: it has ports of its own, is protected, and comes back again',
  () => {
    const desk = makeDesk();
    commitFiles(desk.path, { 'done.txt': 'done\n' }, 'done');
    writeFiles(desk.path, { 'new.txt': 'x\n' });
    desk.ok('down', 'a', '--discard-changes', '--discard-commits');
    const restored = desk.carrel.json<Workspace>(desk.repository, 'restore', 'a');
    expect(restored).toMatchObject({ name: 'a', branch: 'carrel/a', status: 'ready', base: { ref: 'main' } });
    expect(restored.ports).toHaveLength(10);
    expect(expectKept(desk, ['--discard-changes'])).toMatchObject([{ kind: 'commits' }]);
    expectComesBack(desk, ['--discard-changes', '--discard-commits']);
    expect(desk.ok('diff', 'a', '--name-only')).toBe('done.txt\nnew.txt');
    desk.ok('land', 'a', '-m', 'landed after all');
    expect(read(desk.repository, 'new.txt')).toBe('x\n');
  },
);

test('beside the workspace that it was taken of, a snapshot comes back under another name and branch', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'done.txt': 'done\n' }, 'done');
  writeFiles(desk.path, { 'new.txt': 'x\n' });
  desk.ok('snapshot', 'a');
  const before = describeWork(desk);
  expect(desk.carrel.error(desk.repository, 'restore', 'a')).toMatchObject({ code: 'WORKSPACE_EXISTS' });
  const other = desk.ok('restore', 'a', '--as', 'b');
  expect(git(other, 'symbolic-ref', 'HEAD')).toBe('refs/heads/carrel/b');
  expect(listFiles(other)).toEqual(before.files);
  commitFiles(other, { 'more.txt': 'more\n' }, 'more');
  expect(describeWork(desk)).toEqual(before);
});

thoroughTest('brought files come back, and the workspace still knows them for nobody’s work', () => {
  const repository = makeRepository({ ...DESK_FILES, '.gitignore': '.env\n', '.worktreeinclude': '.env\n' });
  writeFiles(repository, { '.env': 'SECRET=1\n' });
  const desk = makeDesk({ repository });
  expectComesBack(desk);
  expect(read(desk.path, '.env')).toBe('SECRET=1\n');
  writeFiles(repository, { '.env': 'SECRET=2\n' });
  expectComesBack(desk);
  expect(read(desk.path, '.env')).toBe('SECRET=1\n');
});

test('a snapshot outlives the base that it stands on', () => {
  const desk = makeDesk();
  desk.git('checkout', '--quiet', '--orphan', 'fresh');
  const commit = commitFiles(desk.path, { 'new.txt': 'x\n' }, 'a new beginning');
  desk.git('branch', '--quiet', '-M', 'fresh', 'carrel/a');
  desk.ok('down', 'a', '--discard-commits');
  git(desk.repository, 'commit', '--quiet', '--amend', '-m', 'written anew');
  git(desk.repository, 'reflog', 'expire', '--expire=now', '--all');
  git(desk.repository, 'gc', '--quiet', '--prune=now');
  desk.ok('restore', 'a');
  expect(desk.git('rev-parse', 'HEAD')).toBe(commit);
  expect(read(desk.path, 'new.txt')).toBe('x\n');
});

thoroughTest('with Carrel’s own state lost, git alone has the work', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'new.txt': 'x\n', 'README.md': 'edited\n' });
  desk.ok('down', 'a', '--discard-changes');
  rmSync(desk.carrel.stateDir, { recursive: true });
  const ref = git(desk.repository, 'for-each-ref', '--format=%(refname)', 'refs/carrel/snapshots');
  expect(git(desk.repository, 'show', `${ref}:new.txt`)).toBe('x');
  expect(git(desk.repository, 'diff', '--name-status', 'main', ref)).toBe('M\tREADME.md\nA\tnew.txt');
  expect(desk.carrel.error(desk.repository, 'restore', 'a')).toMatchObject({ status: 5 });
  desk.ok('up', 'a');
});

test('a snapshot that is no longer whole is refused, and nothing is made', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'new.txt': 'a content that is nowhere else\n' });
  desk.ok('down', 'a', '--discard-changes');
  const [snapshot] = snapshotsOf(desk) as [Snapshot];
  const blob = git(desk.repository, 'rev-parse', `${snapshot.ref}:new.txt`);
  const before = fingerprint(desk.repository);
  rmSync(join(desk.repository, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const broken = desk.run('restore', 'a');
  expect(broken.status).toBe(3);
  expect(normalize(desk, broken)).toMatchInlineSnapshot(`
    "carrel: the snapshot <snap> is not complete: refs/carrel/snapshots/<snap> is not what it was
    hint: check the repository with: git fsck"
  `);
  git(desk.repository, 'update-ref', '-d', snapshot.ref);
  expect(desk.carrel.error(desk.repository, 'restore', 'a')).toMatchObject({ code: 'SNAPSHOT_BROKEN' });
  expect(desk.carrel.json(desk.repository, 'ls')).toEqual([]);
  expect(fingerprint(desk.repository)).toEqual(before);
  expect(findLeftovers(desk)).toEqual([`missing: ref of ${snapshot.id}`]);
});

thoroughTest(
  'outside of any repository a name has to be of one alone; inside of one it is never another’s',
  () => {
    const desk = makeDesk();
    writeFiles(desk.path, { 'new.txt': 'x\n' });
    const outside = tempDir();
    desk.carrel.ok(outside, 'down', 'a', '--discard-changes');
    const elsewhere = makeRepository({}, join(tempDir(), 'elsewhere'));
    expect(desk.carrel.error(elsewhere, 'restore', 'a')).toMatchObject({
      status: 5,
      code: 'SNAPSHOT_NOT_FOUND',
    });
    expect(desk.carrel.ok(outside, 'restore', 'a')).toBe(desk.path);
    expect(read(desk.path, 'new.txt')).toBe('x\n');
    desk.carrel.ok(elsewhere, 'up', 'a');
    desk.carrel.ok(elsewhere, 'down', 'a');
    expect(desk.carrel.error(outside, 'restore', 'a', '--as', 'b')).toMatchObject({
      code: 'WORKSPACE_AMBIGUOUS',
    });
  },
);
