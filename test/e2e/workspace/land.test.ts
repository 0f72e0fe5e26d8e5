import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LandResult } from '../../../src/domain/report/result.js';
import { fingerprint, hashTree } from '../../helpers/fingerprint.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { commitFiles, git, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { normalize } from '../../helpers/workspace/removal.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

const tipOf = (fixture: Fixture, ref: string): string => git(fixture.repository, 'rev-parse', ref);

/** Refuses with exit status 3 and the code, and leaves repository and workspace as they were. */
function expectRefused(fixture: Fixture, code: string, ...args: string[]): Record<string, unknown> {
  const look = () => [
    fingerprint(fixture.repository),
    git(fixture.repository, 'for-each-ref'),
    hashTree(fixture.path),
  ];
  const before = look();
  const error = fixture.carrel.error(fixture.repository, 'land', 'a', ...args);
  expect(error).toMatchObject({ status: 3, code });
  expect(look()).toEqual(before);
  return error.details;
}

test('landing moves the branch and its clean checkout, and takes the workspace away', () => {
  const fixture = makeFixture();
  const tip = commitFiles(fixture.path, { 'source/one.txt': 'landed\n', 'new/file.txt': 'new\n' }, 'work');
  // None of this is in the way, and all of it stays.
  writeFiles(fixture.repository, {
    'mine.txt': 'untracked\n',
    'debug.log': 'ignored\n',
    'stashed.txt': 'stashed\n',
  });
  git(fixture.repository, 'stash', 'push', '--quiet', '--include-untracked', '--', 'stashed.txt');
  git(fixture.repository, 'branch', 'other');
  const stat = join(fixture.repository, 'source/two.txt');
  utimesSync(stat, 1_000_000_000, 1_000_000_000);
  const before = fingerprint(fixture.repository);
  const outcome = fixture.run('land', 'a');
  expect(normalize(fixture, outcome)).toMatchInlineSnapshot(`
    "<commit>
    landed 1 commit of a on main (fast-forward); the workspace was removed"
  `);
  const after = fingerprint(fixture.repository);
  const moved = before.refs?.replace(/^\w+ refs\/heads\/main$/m, `${tip} refs/heads/main`);
  expect(after.headLog?.startsWith(String(before.headLog))).toBe(true);
  expect(after).toEqual({
    ...before,
    refs: moved,
    headLog: after.headLog,
    index: after.index,
    files: after.files,
  });
  expect(readFileSync(join(fixture.repository, 'source/one.txt'), 'utf8')).toBe('landed\n');
  expect(readFileSync(join(fixture.repository, 'mine.txt'), 'utf8')).toBe('untracked\n');
  expect(git(fixture.repository, 'status', '--porcelain')).toBe('?? mine.txt');
  expect(existsSync(fixture.path)).toBe(false);
  expect(findLeftovers(fixture)).toEqual([]);
  fixture.ok('restore', 'a');
  expect(fixture.git('rev-parse', 'HEAD')).toBe(tip);
});

thoroughTest('each way of landing gives the same files, with its own history', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'one');
  commitFiles(fixture.path, { 'b.txt': 'b\n' }, 'two');
  const start = commitFiles(fixture.repository, { 'meanwhile.txt': 'meanwhile\n' }, 'meanwhile');
  const tip = tipOf(fixture, 'carrel/a');
  for (const name of ['merged', 'squashed', 'rebased']) git(fixture.repository, 'branch', name);
  const land = (...args: string[]) => fixture.ok('land', 'a', '--keep', ...args);
  const user = fingerprint(fixture.repository);
  land('--into', 'merged', '-m', 'as a merge');
  land('--into', 'squashed', '--squash');
  land('--into', 'rebased', '--rebase');
  // None of them is checked out: but for the branches themselves nothing of the user's has changed.
  expect({ ...fingerprint(fixture.repository), refs: '' }).toEqual({ ...user, refs: '' });
  expect(git(fixture.repository, 'rev-parse', 'merged^1', 'merged^2')).toBe(`${start}\n${tip}`);
  expect(git(fixture.repository, 'log', '--format=%B', '-1', 'merged').trim()).toBe('as a merge');
  expect(git(fixture.repository, 'rev-list', '--parents', '-1', 'squashed').split(' ').slice(1)).toEqual([
    start,
  ]);
  expect(git(fixture.repository, 'log', '--format=%s', `${start}..rebased`)).toBe('two\none');
  const trees = ['merged', 'squashed', 'rebased'].map(name => tipOf(fixture, `${name}^{tree}`));
  expect(new Set(trees).size).toBe(1);
  expect(tipOf(fixture, 'main')).toBe(start);
  expect(tipOf(fixture, 'carrel/a')).toBe(tip);
});

thoroughTest('uncommitted changes are landed only with a message', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'README.md': 'edited\n', 'new.txt': 'new\n', 'debug.log': 'log\n' });
  const { files } = expectRefused(fixture, 'LAND_UNCOMMITTED');
  expect(files).toEqual(['README.md', 'new.txt']);
  const { removed } = fixture.carrel.json<LandResult>(fixture.repository, 'land', 'a', '-m', 'all of it');
  expect(git(fixture.repository, 'log', '--format=%s')).toBe('all of it\nfirst');
  expect(git(fixture.repository, 'show', '--name-only', '--format=', 'HEAD')).toBe('README.md\nnew.txt');
  fixture.ok('restore', String(removed?.snapshot));
  expect(readFileSync(join(fixture.path, 'debug.log'), 'utf8')).toBe('log\n');
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
    'an edit that git is configured to ignore': {
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
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'README.md': 'theirs\n', 'wanted.txt': 'theirs\n', 'wanted.log': 'theirs\n' });
  fixture.git('add', '--all', '--force');
  fixture.git('commit', '--quiet', '-m', 'theirs');
  put(fixture.repository);
  expect(expectRefused(fixture, 'LAND_CHECKOUT_DIRTY').files).toEqual(files);
});

thoroughTest(
  'a checkout of the target in another worktree follows when it is clean, and is not landed on otherwise',
  () => {
    const fixture = makeFixture();
    const tip = commitFiles(fixture.path, { 'README.md': 'theirs\n' }, 'theirs');
    const release = join(tempDir(), 'release');
    git(fixture.repository, 'worktree', 'add', '--quiet', '-b', 'release', release);
    writeFiles(release, { 'README.md': 'mine\n' });
    const before = hashTree(release);
    const details = expectRefused(fixture, 'LAND_CHECKOUT_DIRTY', '--into', 'release');
    expect(details).toMatchObject({ path: release, files: ['README.md'] });
    expect(hashTree(release)).toBe(before);
    git(release, 'checkout', '--quiet', 'README.md');
    const user = fingerprint(fixture.repository);
    fixture.ok('land', 'a', '--into', 'release');
    expect({ ...fingerprint(fixture.repository), refs: '' }).toEqual({ ...user, refs: '' });
    expect(git(release, 'status', '--porcelain=v2', '--branch')).toBe(
      `# branch.oid ${tip}\n# branch.head release`,
    );
    expect(readFileSync(join(release, 'README.md'), 'utf8')).toBe('theirs\n');
  },
);

test.each(sampleOf(['--merge', '--squash', '--rebase'], '--rebase'))(
  'a conflict changes nothing and lists the files (%s)',
  way => {
    const fixture = makeFixture();
    commitFiles(fixture.path, { 'README.md': 'theirs\n', 'other.txt': 'theirs\n' }, 'theirs');
    commitFiles(fixture.repository, { 'README.md': 'mine\n' }, 'mine');
    expect(expectRefused(fixture, 'LAND_CONFLICT', way)).toMatchObject({
      into: 'main',
      files: ['README.md'],
    });
  },
);

test('what can’t go after landing is kept, and it is said why', () => {
  const fixture = makeFixture();
  const tip = commitFiles(fixture.path, { 'a.txt': 'a\n' }, 'work');
  git(fixture.repository, 'worktree', 'lock', fixture.path);
  const { removed, warnings } = fixture.carrel.json<LandResult>(fixture.repository, 'land', 'a');
  expect(removed).toBe(null);
  expect(warnings).toEqual(['landed, but a was kept: it is locked']);
  expect(tipOf(fixture, 'main')).toBe(tip);
  expect(fixture.git('rev-parse', 'HEAD')).toBe(tip);
});

thoroughTest('with nothing to land nothing happens', () => {
  const fixture = makeFixture();
  mkdirSync(join(fixture.path, 'empty'));
  const before = fingerprint(fixture.repository);
  expect(fixture.carrel.error(fixture.repository, 'land', 'a')).toMatchObject({ code: 'LAND_NOTHING' });
  expect(fixture.carrel.error(fixture.repository, 'land', 'a', '--into', 'mian')).toMatchObject({
    status: 5,
    code: 'UNKNOWN_BRANCH',
    details: { nearest: 'main' },
  });
  expect(fixture.carrel.error(fixture.repository, 'land', 'a', '--into', 'carrel/a')).toMatchObject({
    status: 2,
  });
  expect(fingerprint(fixture.repository)).toEqual(before);
  expect(existsSync(join(fixture.path, 'empty'))).toBe(true);
});
