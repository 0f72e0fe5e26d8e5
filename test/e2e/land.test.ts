import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LandResult } from '../../src/domain/result.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { fingerprint, hashTree } from '../helpers/fingerprint.js';
import { thoroughTest } from '../helpers/flavours.js';
import { findLeftovers } from '../helpers/leftovers.js';
import { normalize } from '../helpers/removal.js';
import { commitFiles, git, writeFiles } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp.js';

const tipOf = (desk: Desk, ref: string): string => git(desk.repository, 'rev-parse', ref);

/** Refuses with exit status 3 and the code, and leaves repository and workspace as they were. */
function expectRefused(desk: Desk, code: string, ...args: string[]): Record<string, unknown> {
  const look = () => [
    fingerprint(desk.repository),
    git(desk.repository, 'for-each-ref'),
    hashTree(desk.path),
  ];
  const before = look();
  const error = desk.carrel.error(desk.repository, 'land', 'a', ...args);
  expect(error).toMatchObject({ status: 3, code });
  expect(look()).toEqual(before);
  return error.details;
}

test('landing moves the branch and its clean checkout, and takes the workspace away', () => {
  const desk = makeDesk();
  const tip = commitFiles(desk.path, { 'source/one.txt': 'landed\n', 'new/file.txt': 'new\n' }, 'work');
  // None of this is in the way, and all of it stays.
  writeFiles(desk.repository, {
    'mine.txt': 'untracked\n',
    'debug.log': 'ignored\n',
    'stashed.txt': 'stashed\n',
  });
  git(desk.repository, 'stash', 'push', '--quiet', '--include-untracked', '--', 'stashed.txt');
  git(desk.repository, 'branch', 'other');
  const stat = join(desk.repository, 'source/two.txt');
  utimesSync(stat, 1_000_000_000, 1_000_000_000);
  const before = fingerprint(desk.repository);
  const outcome = desk.run('land', 'a');
  expect(normalize(desk, outcome)).toMatchInlineSnapshot(`
    "<commit>
    landed 1 commit of a on main (merge); the workspace was removed"
  `);
  const after = fingerprint(desk.repository);
  const moved = before.refs?.replace(/^\w+ refs\/heads\/main$/m, `${tip} refs/heads/main`);
  expect(after.headLog?.startsWith(String(before.headLog))).toBe(true);
  expect(after).toEqual({
    ...before,
    refs: moved,
    headLog: after.headLog,
    index: after.index,
    files: after.files,
  });
  expect(readFileSync(join(desk.repository, 'source/one.txt'), 'utf8')).toBe('landed\n');
  expect(readFileSync(join(desk.repository, 'mine.txt'), 'utf8')).toBe('untracked\n');
  expect(git(desk.repository, 'status', '--porcelain')).toBe('?? mine.txt');
  expect(existsSync(desk.path)).toBe(false);
  expect(findLeftovers(desk)).toEqual([]);
  desk.ok('restore', 'a');
  expect(desk.git('rev-parse', 'HEAD')).toBe(tip);
});

thoroughTest('each way of landing gives the same files, with the history that it stands for', () => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'a.txt': 'a\n' }, 'one');
  commitFiles(desk.path, { 'b.txt': 'b\n' }, 'two');
  const start = commitFiles(desk.repository, { 'meanwhile.txt': 'meanwhile\n' }, 'meanwhile');
  const tip = tipOf(desk, 'carrel/a');
  for (const name of ['merged', 'squashed', 'rebased']) git(desk.repository, 'branch', name);
  const land = (...args: string[]) => desk.ok('land', 'a', '--keep', ...args);
  const user = fingerprint(desk.repository);
  land('--into', 'merged', '-m', 'as a merge');
  land('--into', 'squashed', '--squash');
  land('--into', 'rebased', '--rebase');
  // None of them is checked out: but for the branches themselves nothing of the user's has changed.
  expect({ ...fingerprint(desk.repository), refs: '' }).toEqual({ ...user, refs: '' });
  expect(git(desk.repository, 'rev-parse', 'merged^1', 'merged^2')).toBe(`${start}\n${tip}`);
  expect(git(desk.repository, 'log', '--format=%B', '-1', 'merged').trim()).toBe('as a merge');
  expect(git(desk.repository, 'rev-list', '--parents', '-1', 'squashed').split(' ').slice(1)).toEqual([
    start,
  ]);
  expect(git(desk.repository, 'log', '--format=%s', `${start}..rebased`)).toBe('two\none');
  const trees = ['merged', 'squashed', 'rebased'].map(name => tipOf(desk, `${name}^{tree}`));
  expect(new Set(trees).size).toBe(1);
  expect(tipOf(desk, 'main')).toBe(start);
  expect(tipOf(desk, 'carrel/a')).toBe(tip);
});

test('what is not committed is landed with a message only', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'README.md': 'edited\n', 'new.txt': 'new\n', 'debug.log': 'log\n' });
  const { files } = expectRefused(desk, 'LAND_UNCOMMITTED');
  expect(files).toEqual(['README.md', 'new.txt']);
  const { removed } = desk.carrel.json<LandResult>(desk.repository, 'land', 'a', '-m', 'all of it');
  expect(git(desk.repository, 'log', '--format=%s')).toBe('all of it\nfirst');
  expect(git(desk.repository, 'show', '--name-only', '--format=', 'HEAD')).toBe('README.md\nnew.txt');
  desk.ok('restore', String(removed?.snapshot));
  expect(readFileSync(join(desk.path, 'debug.log'), 'utf8')).toBe('log\n');
});

/** What the user may have in his checkout where the workspace wants to put `wanted.txt` and change README.md. */
const obstacles: Record<string, { readonly put: (root: string) => void; readonly files: readonly string[] }> =
  {
    'an edit': { put: root => writeFiles(root, { 'README.md': 'mine\n' }), files: ['README.md'] },
    'an edit of another file': {
      put: root => writeFiles(root, { 'source/one.txt': 'mine\n' }),
      files: ['source/one.txt'],
    },
    'a staged edit': {
      put: root => {
        writeFiles(root, { 'README.md': 'mine\n' });
        git(root, 'add', 'README.md');
      },
      files: ['README.md'],
    },
    'an edit that git was told not to look at': {
      put: root => {
        git(root, 'update-index', '--assume-unchanged', 'README.md');
        writeFiles(root, { 'README.md': 'mine\n' });
      },
      files: ['README.md'],
    },
    'an untracked file in the way': {
      put: root => writeFiles(root, { 'wanted.txt': 'mine\n' }),
      files: ['wanted.txt'],
    },
    'an ignored file in the way': {
      put: root => writeFiles(root, { 'wanted.log': 'mine\n' }),
      files: ['wanted.log'],
    },
    'a directory with ignored files in the way': {
      put: root => writeFiles(root, { 'wanted.txt/mine.log': 'mine\n' }),
      files: ['wanted.txt/mine.log'],
    },
    'a merge in progress': {
      put: root => {
        git(root, 'checkout', '--quiet', '-b', 'side');
        git(root, 'commit', '--quiet', '--allow-empty', '-m', 'side');
        git(root, 'checkout', '--quiet', 'main');
        git(root, 'merge', '--quiet', '--no-ff', '--no-commit', 'side');
      },
      files: ['(a merge in progress)'],
    },
  };

test.each(Object.entries(obstacles))('%s in the checkout is not landed on', (_, { put, files }) => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'README.md': 'theirs\n', 'wanted.txt': 'theirs\n', 'wanted.log': 'theirs\n' });
  desk.git('add', '--all', '--force');
  desk.git('commit', '--quiet', '-m', 'theirs');
  put(desk.repository);
  expect(expectRefused(desk, 'LAND_CHECKOUT_DIRTY').files).toEqual(files);
});

thoroughTest(
  'a checkout of the target in another worktree follows when it is clean, and is not landed on otherwise',
  () => {
    const desk = makeDesk();
    const tip = commitFiles(desk.path, { 'README.md': 'theirs\n' }, 'theirs');
    const release = join(tempDir(), 'release');
    git(desk.repository, 'worktree', 'add', '--quiet', '-b', 'release', release);
    writeFiles(release, { 'README.md': 'mine\n' });
    const before = hashTree(release);
    const details = expectRefused(desk, 'LAND_CHECKOUT_DIRTY', '--into', 'release');
    expect(details).toMatchObject({ path: release, files: ['README.md'] });
    expect(hashTree(release)).toBe(before);
    git(release, 'checkout', '--quiet', 'README.md');
    const user = fingerprint(desk.repository);
    desk.ok('land', 'a', '--into', 'release');
    expect({ ...fingerprint(desk.repository), refs: '' }).toEqual({ ...user, refs: '' });
    expect(git(release, 'status', '--porcelain=v2', '--branch')).toBe(
      `# branch.oid ${tip}\n# branch.head release`,
    );
    expect(readFileSync(join(release, 'README.md'), 'utf8')).toBe('theirs\n');
  },
);

test.each(['--merge', '--squash', '--rebase'])('a conflict changes nothing and lists the files (%s)', way => {
  const desk = makeDesk();
  commitFiles(desk.path, { 'README.md': 'theirs\n', 'other.txt': 'theirs\n' }, 'theirs');
  commitFiles(desk.repository, { 'README.md': 'mine\n' }, 'mine');
  expect(expectRefused(desk, 'LAND_CONFLICT', way)).toMatchObject({ into: 'main', files: ['README.md'] });
});

test('what can’t go after landing is kept, and it is said why', () => {
  const desk = makeDesk();
  const tip = commitFiles(desk.path, { 'a.txt': 'a\n' }, 'work');
  git(desk.repository, 'worktree', 'lock', desk.path);
  const { removed, warnings } = desk.carrel.json<LandResult>(desk.repository, 'land', 'a');
  expect(removed).toBe(null);
  expect(warnings).toEqual(['landed, but a was kept: it is locked']);
  expect(tipOf(desk, 'main')).toBe(tip);
  expect(desk.git('rev-parse', 'HEAD')).toBe(tip);
});

thoroughTest('with nothing to land nothing happens', () => {
  const desk = makeDesk();
  mkdirSync(join(desk.path, 'empty'));
  const before = fingerprint(desk.repository);
  expect(desk.carrel.error(desk.repository, 'land', 'a')).toMatchObject({ code: 'LAND_NOTHING' });
  expect(desk.carrel.error(desk.repository, 'land', 'a', '--into', 'mian')).toMatchObject({
    status: 5,
    code: 'UNKNOWN_BRANCH',
    details: { nearest: 'main' },
  });
  expect(desk.carrel.error(desk.repository, 'land', 'a', '--into', 'carrel/a')).toMatchObject({ status: 2 });
  expect(fingerprint(desk.repository)).toEqual(before);
  expect(existsSync(join(desk.path, 'empty'))).toBe(true);
});
