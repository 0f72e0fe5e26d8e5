import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WorkspaceReport } from '../../../src/operations/workspace/show.js';
import { BINARY } from '../../helpers/carrel.js';
import { listFiles } from '../../helpers/git/round-trip.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import {
  describeWork,
  expectComesBack,
  expectGone,
  expectKept,
  expectRefused,
  normalize,
} from '../../helpers/workspace/removal.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requirePart } from '../../parts/required-part.js';

const EVERYTHING = ['--discard-changes', '--discard-commits', '--stop-processes', '--break-lease'];

test('a lock of git’s keeps a workspace whatever is accepted, until it is unlocked', () => {
  const fixture = makeFixture();
  git(fixture.repository, 'worktree', 'lock', '--reason', 'on a stick', fixture.path);
  const refused = fixture.run('down', 'a', ...EVERYTHING);
  expect(refused.status).toBe(3);
  expect(normalize(fixture, refused)).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      it is locked (on a stick)
        <cache>/worktrees/repo/a
    hint: unlock it with: git worktree unlock <cache>/worktrees/repo/a"
  `);
  expect(expectKept(fixture, EVERYTHING)).toMatchObject([{ kind: 'locked', flag: null }]);
  git(fixture.repository, 'worktree', 'unlock', fixture.path);
  expectComesBack(fixture);
});

test('a missing directory has nothing to lose, and is restored as committed', () => {
  const fixture = makeFixture();
  const before = describeWork(fixture);
  rmSync(fixture.path, { recursive: true });
  expectGone(fixture);
  fixture.ok('restore', 'a');
  expect(describeWork(fixture)).toEqual(before);
});

test('staged changes of a missing directory keep the workspace, and are restored', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'staged\n' });
  fixture.git('add', 'new.txt');
  const before = describeWork(fixture);
  rmSync(fixture.path, { recursive: true });
  expect(expectKept(fixture)).toMatchObject([{ kind: 'changes', items: ['new.txt'] }]);
  expectKept(fixture, ['--discard-commits']);
  expectGone(fixture, ['--discard-changes']);
  fixture.ok('restore', 'a');
  expect(describeWork(fixture)).toEqual(before);
});

test('commits of a directory that is gone keep the workspace', () => {
  const fixture = makeFixture();
  const commit = commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'alone');
  rmSync(fixture.path, { recursive: true });
  expect(expectKept(fixture)).toMatchObject([{ kind: 'commits', flag: '--discard-commits' }]);
  expectGone(fixture, ['--discard-commits']);
  fixture.ok('restore', 'a');
  expect(fixture.git('rev-parse', 'carrel/a')).toBe(commit);
});

test('a locked workspace whose directory is away for now, as on a stick, is kept', () => {
  const fixture = makeFixture();
  git(fixture.repository, 'worktree', 'lock', fixture.path);
  const away = join(tempDir(), 'away');
  renameSync(fixture.path, away);
  expect(expectKept(fixture, EVERYTHING)).toMatchObject([{ kind: 'locked' }]);
  renameSync(away, fixture.path);
  expect(fixture.git('status', '--porcelain')).toBe('');
});

test('a workspace that the user removed with git loses its record; a branch with commits stays', () => {
  const fixture = makeFixture();
  const commit = commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'alone');
  fixture.ok('up', 'b');
  git(fixture.repository, 'worktree', 'remove', '--force', fixture.path);
  rmSync(fixture.ok('path', 'b'), { recursive: true });
  git(fixture.repository, 'worktree', 'prune');
  expect(expectGone(fixture, ['--discard-commits'])).toMatchObject({
    snapshot: null,
    keptBranch: 'carrel/a',
  });
  expect(git(fixture.repository, 'rev-parse', 'carrel/a')).toBe(commit);
  fixture.ok('down', 'b');
  expect(git(fixture.repository, 'branch', '--list', 'carrel/b')).toBe('');
  expect(fixture.carrel.json(fixture.repository, 'ls')).toEqual([]);
});

test('a workspace that was moved with git is left alone until it is moved back', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'x\n' });
  const before = describeWork(fixture);
  const moved = join(tempDir(), 'moved');
  git(fixture.repository, 'worktree', 'move', fixture.path, moved);
  expect(expectRefused(fixture, EVERYTHING)).toMatchObject({
    code: 'WORKSPACE_MOVED',
    details: { to: moved },
  });
  expect(git(moved, 'status', '--porcelain')).toBe('?? new.txt');
  const { warnings } = fixture.carrel.json<WorkspaceReport>(fixture.repository, 'show', 'a');
  expect(warnings).toEqual([`it was moved to ${moved}`]);
  const { hint } = fixture.carrel.error(fixture.repository, 'snapshot', 'a');
  git(fixture.repository, ...hint.slice(hint.indexOf('git ') + 'git '.length).split(' '));
  expect(describeWork(fixture)).toEqual(before);
  expectComesBack(fixture, ['--discard-changes']);
});

/** What the user may have put where the workspace was. Each contains its own work. */
const replacements: Record<string, (fixture: Fixture) => void> = {
  'another repository': fixture => {
    makeRepository({ 'mine.txt': 'mine\n' }, fixture.path);
    writeFiles(fixture.path, { 'mine.txt': 'edited\n' });
  },
  'a worktree of another registration': fixture => {
    const sibling = fixture.ok('up', 'b');
    writeFiles(sibling, { 'mine.txt': 'mine\n' });
    renameSync(sibling, fixture.path);
  },
  'a symbolic link': fixture => symlinkSync(`${fixture.path}-moved`, fixture.path),
  'a file': fixture => writeFileSync(fixture.path, 'mine\n'),
  'a directory without its .git file': fixture => {
    mkdirSync(fixture.path);
    writeFiles(fixture.path, { 'mine.txt': 'mine\n' });
  },
};

test.each(Object.keys(replacements))('%s in its place is never touched', found => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'x\n' });
  const before = describeWork(fixture);
  const away = `${fixture.path}-moved`;
  renameSync(fixture.path, away);
  replacements[found]?.(fixture);
  expect(expectRefused(fixture, EVERYTHING)).toMatchObject({
    code: 'WORKSPACE_REPLACED',
    details: { found },
  });
  for (const verb of ['snapshot', 'diff', 'land'])
    expect(fixture.carrel.error(fixture.repository, verb, 'a')).toMatchObject({ code: 'WORKSPACE_REPLACED' });
  expect(fixture.run('exec', 'a', '--', 'touch', 'x').status).toBe(3);
  const { warnings } = fixture.carrel.json<WorkspaceReport>(fixture.repository, 'show', 'a');
  expect(warnings).toEqual([`${fixture.path} is now ${found}`]);
  expect(fixture.ok('gc', '--older-than', '0s', '--yes')).toContain('is no longer the workspace a');
  renameSync(fixture.path, join(tempDir(), 'elsewhere'));
  renameSync(away, fixture.path);
  expect(describeWork(fixture)).toEqual(before);
});

test('a workspace whose repository was deleted keeps its files, and is forgotten when they are gone', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'x\n' });
  rmSync(fixture.repository, { recursive: true });
  const outside = tempDir();
  const refused = fixture.carrel.error(outside, 'down', 'a', ...EVERYTHING);
  expect(refused).toMatchObject({ status: 3, code: 'WORKSPACE_REPLACED' });
  expect(readFileSync(join(fixture.path, 'new.txt'), 'utf8')).toBe('x\n');
  renameSync(fixture.path, join(outside, 'saved'));
  fixture.carrel.ok(outside, 'down', 'a');
  expect(fixture.carrel.json(outside, 'ls')).toEqual([]);
  expect(existsSync(fixture.repository)).toBe(false);
});

test('the record of a deleted plain copy is removed, and a copy with changes is kept until they are discarded', () => {
  const fixture = makeFixture();
  const source = tempDir();
  const run = (...args: string[]) => fixture.carrel.ok(source, ...args);
  writeFiles(source, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const copy = run('up', 'copy', '--copy', '.');
  writeFiles(copy, { 'a.txt': 'edited\n', 'new.txt': 'new\n' });
  rmSync(join(copy, 'b.txt'));
  const before = listFiles(copy);
  expect(fixture.carrel.error(source, 'down', 'copy', '--discard-commits')).toMatchObject({
    status: 3,
    details: { risks: [{ kind: 'changes' }, { kind: 'untracked' }] },
  });
  expect(listFiles(copy)).toEqual(before);
  run('down', 'copy', '--discard-changes');
  expect(run('restore', 'copy')).toBe(copy);
  expect(listFiles(copy)).toEqual(before);
  rmSync(copy, { recursive: true });
  run('down', 'copy');
  expect(fixture.carrel.error(source, 'path', 'copy')).toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });
});

test('a directory of the user’s own is only forgotten', () => {
  const fixture = makeFixture();
  const own = tempDir();
  writeFiles(own, { 'mine.txt': 'mine\n' });
  fixture.ok('up', 'own', '--workspace', own);
  fixture.carrel.ok(own, 'down', 'own');
  expect(readFileSync(join(own, 'mine.txt'), 'utf8')).toBe('mine\n');
});

test('files on a mount inside are not deleted with the workspace', context => {
  const fixture = makeFixture();
  const source = tempDir();
  writeFiles(source, { 'mine.log': 'mine\n' });
  mkdirSync(join(fixture.path, 'data.log'));
  const probe = fixture.type(fixture.repository, 'unshare --mount --map-root-user true');
  requirePart(context, probe.status === 0, 'mount namespaces');
  // The mount is in a separate namespace and is gone when the shell exits.
  const down = `"${process.execPath}" "${BINARY}" down a --discard-changes --json`;
  const line = `mount --bind "${source}" "${fixture.path}/data.log" && ${down}`;
  const refused = fixture.type(fixture.repository, `unshare --mount --map-root-user sh -c '${line}'`);
  expect(JSON.parse(refused.stdout).error.details.risks).toMatchObject([
    { kind: 'mounted', flag: null, items: [join(fixture.path, 'data.log')] },
  ]);
  expect(readFileSync(join(source, 'mine.log'), 'utf8')).toBe('mine\n');
  expectGone(fixture);
});
