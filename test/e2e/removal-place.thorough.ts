import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WorkspaceReport } from '../../src/operations/show.js';
import { BINARY } from '../helpers/carrel.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import {
  describeWork,
  expectComesBack,
  expectGone,
  expectKept,
  expectRefused,
  normalize,
} from '../helpers/removal.js';
import { commitFiles, git, makeRepository, writeFiles } from '../helpers/repository.js';
import { requirePart } from '../helpers/required-part.js';
import { listFiles } from '../helpers/round-trip.js';
import { tempDir } from '../helpers/temp.js';

const EVERYTHING = ['--discard-changes', '--discard-commits', '--stop-processes', '--break-lease'];

test('a lock of git’s keeps a workspace whatever is accepted, until it is unlocked', () => {
  const desk = makeDesk();
  git(desk.repository, 'worktree', 'lock', '--reason', 'on a stick', desk.path);
  const refused = desk.run('down', 'a', ...EVERYTHING);
  expect(refused.status).toBe(3);
  expect(normalize(desk, refused)).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      it is locked (on a stick)
        <cache>/worktrees/repo/a
    hint: unlock it with: git worktree unlock <cache>/worktrees/repo/a"
  `);
  expect(expectKept(desk, EVERYTHING)).toMatchObject([{ kind: 'locked', flag: null }]);
  git(desk.repository, 'worktree', 'unlock', desk.path);
  expectComesBack(desk);
});

test('a directory that is gone leaves nothing to lose, and comes back as it was committed', () => {
  const desk = makeDesk();
  const before = describeWork(desk);
  rmSync(desk.path, { recursive: true });
  expectGone(desk);
  desk.ok('restore', 'a');
  expect(describeWork(desk)).toEqual(before);
});

test('what was staged in a directory that is gone keeps the workspace, and comes back', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'new.txt': 'staged\n' });
  desk.git('add', 'new.txt');
  const before = describeWork(desk);
  rmSync(desk.path, { recursive: true });
  expect(expectKept(desk)).toMatchObject([{ kind: 'changes', items: ['new.txt'] }]);
  expectKept(desk, ['--discard-commits']);
  expectGone(desk, ['--discard-changes']);
  desk.ok('restore', 'a');
  expect(describeWork(desk)).toEqual(before);
});

test('commits of a directory that is gone keep the workspace', () => {
  const desk = makeDesk();
  const commit = commitFiles(desk.path, { 'a.txt': 'a\n' }, 'alone');
  rmSync(desk.path, { recursive: true });
  expect(expectKept(desk)).toMatchObject([{ kind: 'commits', flag: '--discard-commits' }]);
  expectGone(desk, ['--discard-commits']);
  desk.ok('restore', 'a');
  expect(desk.git('rev-parse', 'carrel/a')).toBe(commit);
});

test('a locked workspace whose directory is away for now, as on a stick, is kept', () => {
  const desk = makeDesk();
  git(desk.repository, 'worktree', 'lock', desk.path);
  const away = join(tempDir(), 'away');
  renameSync(desk.path, away);
  expect(expectKept(desk, EVERYTHING)).toMatchObject([{ kind: 'locked' }]);
  renameSync(away, desk.path);
  expect(desk.git('status', '--porcelain')).toBe('');
});

test('what the user removed with git itself is forgotten; a branch with commits stays', () => {
  const desk = makeDesk();
  const commit = commitFiles(desk.path, { 'a.txt': 'a\n' }, 'alone');
  desk.ok('up', 'b');
  git(desk.repository, 'worktree', 'remove', '--force', desk.path);
  rmSync(desk.ok('path', 'b'), { recursive: true });
  git(desk.repository, 'worktree', 'prune');
  expect(expectGone(desk, ['--discard-commits'])).toMatchObject({ snapshot: null, keptBranch: 'carrel/a' });
  expect(git(desk.repository, 'rev-parse', 'carrel/a')).toBe(commit);
  desk.ok('down', 'b');
  expect(git(desk.repository, 'branch', '--list', 'carrel/b')).toBe('');
  expect(desk.carrel.json(desk.repository, 'ls')).toEqual([]);
});

test('a workspace that was moved with git is left alone until it is moved back', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'new.txt': 'x\n' });
  const before = describeWork(desk);
  const moved = join(tempDir(), 'moved');
  git(desk.repository, 'worktree', 'move', desk.path, moved);
  expect(expectRefused(desk, EVERYTHING)).toMatchObject({ code: 'WORKSPACE_MOVED', details: { to: moved } });
  expect(git(moved, 'status', '--porcelain')).toBe('?? new.txt');
  const { warnings } = desk.carrel.json<WorkspaceReport>(desk.repository, 'show', 'a');
  expect(warnings).toEqual([`it was moved to ${moved}`]);
  const { hint } = desk.carrel.error(desk.repository, 'snapshot', 'a');
  git(desk.repository, ...hint.slice(hint.indexOf('git ') + 'git '.length).split(' '));
  expect(describeWork(desk)).toEqual(before);
  expectComesBack(desk, ['--discard-changes']);
});

/** What somebody may have put where the workspace was. Each has work of its own. */
const replacements: Record<string, (desk: Desk) => void> = {
  'another repository': desk => {
    makeRepository({ 'mine.txt': 'mine\n' }, desk.path);
    writeFiles(desk.path, { 'mine.txt': 'edited\n' });
  },
  'a worktree of another registration': desk => {
    const sibling = desk.ok('up', 'b');
    writeFiles(sibling, { 'mine.txt': 'mine\n' });
    renameSync(sibling, desk.path);
  },
  'a symbolic link': desk => symlinkSync(`${desk.path}-moved`, desk.path),
  'a file': desk => writeFileSync(desk.path, 'mine\n'),
  'a directory without its .git file': desk => {
    mkdirSync(desk.path);
    writeFiles(desk.path, { 'mine.txt': 'mine\n' });
  },
};

test.each(Object.keys(replacements))('%s in its place is never touched', found => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'new.txt': 'x\n' });
  const before = describeWork(desk);
  const away = `${desk.path}-moved`;
  renameSync(desk.path, away);
  replacements[found]?.(desk);
  expect(expectRefused(desk, EVERYTHING)).toMatchObject({ code: 'WORKSPACE_REPLACED', details: { found } });
  for (const verb of ['snapshot', 'diff', 'land'])
    expect(desk.carrel.error(desk.repository, verb, 'a')).toMatchObject({ code: 'WORKSPACE_REPLACED' });
  expect(desk.run('exec', 'a', '--', 'touch', 'x').status).toBe(3);
  const { warnings } = desk.carrel.json<WorkspaceReport>(desk.repository, 'show', 'a');
  expect(warnings).toEqual([`${desk.path} is now ${found}`]);
  expect(desk.ok('gc', '--older-than', '0s', '--yes')).toContain('is no longer the workspace a');
  renameSync(desk.path, join(tempDir(), 'elsewhere'));
  renameSync(away, desk.path);
  expect(describeWork(desk)).toEqual(before);
});

test('a workspace whose repository was deleted keeps its files, and is forgotten when they are gone', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'new.txt': 'x\n' });
  rmSync(desk.repository, { recursive: true });
  const outside = tempDir();
  const refused = desk.carrel.error(outside, 'down', 'a', ...EVERYTHING);
  expect(refused).toMatchObject({ status: 3, code: 'WORKSPACE_REPLACED' });
  expect(readFileSync(join(desk.path, 'new.txt'), 'utf8')).toBe('x\n');
  renameSync(desk.path, join(outside, 'saved'));
  desk.carrel.ok(outside, 'down', 'a');
  expect(desk.carrel.json(outside, 'ls')).toEqual([]);
  expect(existsSync(desk.repository)).toBe(false);
});

test('a plain copy that is gone is forgotten, and one with changes is kept until they are given up', () => {
  const desk = makeDesk();
  const source = tempDir();
  const run = (...args: string[]) => desk.carrel.ok(source, ...args);
  writeFiles(source, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const copy = run('up', 'copy', '--copy', '.');
  writeFiles(copy, { 'a.txt': 'edited\n', 'new.txt': 'new\n' });
  rmSync(join(copy, 'b.txt'));
  const before = listFiles(copy);
  expect(desk.carrel.error(source, 'down', 'copy', '--discard-commits')).toMatchObject({
    status: 3,
    details: { risks: [{ kind: 'changes' }, { kind: 'untracked' }] },
  });
  expect(listFiles(copy)).toEqual(before);
  run('down', 'copy', '--discard-changes');
  expect(run('restore', 'copy')).toBe(copy);
  expect(listFiles(copy)).toEqual(before);
  rmSync(copy, { recursive: true });
  run('down', 'copy');
  expect(desk.carrel.error(source, 'path', 'copy')).toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });
});

test('a directory of the user’s own is only forgotten', () => {
  const desk = makeDesk();
  const own = tempDir();
  writeFiles(own, { 'mine.txt': 'mine\n' });
  desk.ok('up', 'own', '--workspace', own);
  desk.carrel.ok(own, 'down', 'own');
  expect(readFileSync(join(own, 'mine.txt'), 'utf8')).toBe('mine\n');
});

test('what is mounted inside is not emptied with the workspace', context => {
  const desk = makeDesk();
  const source = tempDir();
  writeFiles(source, { 'mine.log': 'mine\n' });
  mkdirSync(join(desk.path, 'data.log'));
  const probe = desk.type(desk.repository, 'unshare --mount --map-root-user true');
  requirePart(context, probe.status === 0, 'unshare, to mount something');
  // The mount lives in a namespace of its own and ends with the shell.
  const down = `"${process.execPath}" "${BINARY}" down a --discard-changes --json`;
  const line = `mount --bind "${source}" "${desk.path}/data.log" && ${down}`;
  const refused = desk.type(desk.repository, `unshare --mount --map-root-user sh -c '${line}'`);
  expect(JSON.parse(refused.stdout).error.details.risks).toMatchObject([
    { kind: 'mounted', flag: null, items: [join(desk.path, 'data.log')] },
  ]);
  expect(readFileSync(join(source, 'mine.log'), 'utf8')).toBe('mine\n');
  expectGone(desk);
});
