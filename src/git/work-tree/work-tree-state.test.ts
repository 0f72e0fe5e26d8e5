import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneInSix } from '../../../test/helpers/flavours.js';
import { addWorktree, placeOf } from '../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { readWorkTreeState, type StateOptions } from './work-tree-state.js';

const CLEAN = {
  isPresent: true,
  staged: [],
  modified: [],
  hidden: [],
  conflicted: [],
  untracked: [],
  nestedRepositories: [],
  dirtySubmodules: [],
  ignored: { taken: [], omitted: [], beyondLimit: [] },
  operation: null,
  tooLarge: [],
  hasUnreadableIndex: false,
};

function readState(work: string, overrides: Partial<StateOptions> = {}) {
  const limits = { ignoredBytes: 1000, regenerable: ['node_modules'] };
  return readWorkTreeState(testGit(), placeOf(work), {
    limits,
    included: [],
    temporaryRoot: tempDir(),
    ...overrides,
  });
}

test('a fresh work tree is clean', async () => {
  const work = addWorktree(makeRepository());
  expect(await readState(work)).toEqual(CLEAN);
});

test('a file that was only touched is not changed, and the index is not refreshed for it', async () => {
  const work = addWorktree(makeRepository());
  utimesSync(join(work, 'README.md'), 1, 1);
  const index = join(placeOf(work).gitDir, 'index');
  const before = [readFileSync(index), statSync(index).mtimeMs];
  expect(await readState(work)).toEqual(CLEAN);
  expect([readFileSync(index), statSync(index).mtimeMs]).toEqual(before);
});

test('staged, edited, deleted and untracked files are distinguished', async () => {
  const repository = makeRepository({
    'staged.txt': 'a\n',
    'edited.txt': 'b\n',
    'deleted.txt': 'c\n',
    'both.txt': 'd\n',
  });
  git(repository, 'config', 'status.showUntrackedFiles', 'no');
  const work = addWorktree(repository);
  writeFiles(work, { 'staged.txt': 'x\n', 'both.txt': 'x\n' });
  git(work, 'add', '--all');
  writeFiles(work, {
    'edited.txt': 'x\n',
    'both.txt': 'y\n',
    'dir/new\nline.txt': 'x\n',
    'planned.txt': 'x\n',
  });
  git(work, 'add', '--intent-to-add', 'planned.txt');
  rmSync(join(work, 'deleted.txt'));
  expect(await readState(work)).toEqual({
    ...CLEAN,
    staged: ['both.txt', 'staged.txt'],
    modified: ['both.txt', 'deleted.txt', 'edited.txt', 'planned.txt'],
    untracked: ['dir/new\nline.txt'],
  });
});

test('assume-unchanged and skip-worktree edits are hidden, a sparse checkout is not', async () => {
  const repository = makeRepository({
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'same.txt': 's\n',
    'in/i': 'i\n',
    'out/o': 'o\n',
  });
  const work = addWorktree(repository);
  git(work, 'sparse-checkout', 'set', 'in');
  git(work, 'update-index', '--assume-unchanged', 'a.txt', 'same.txt');
  git(work, 'update-index', '--skip-worktree', 'b.txt');
  git(work, 'config', '--worktree', 'sparse.expectFilesOutsideOfPatterns', 'true');
  writeFiles(work, { 'a.txt': 'edited\n', 'b.txt': 'edited\n' });
  expect(await readState(work)).toEqual({ ...CLEAN, hidden: ['a.txt', 'b.txt'] });
});

test('a conflict is reported with its operation', async () => {
  const repository = makeRepository({ 'file.txt': 'base\n' });
  git(repository, 'switch', '--quiet', '-c', 'other');
  commitFiles(repository, { 'file.txt': 'theirs\n' });
  git(repository, 'switch', '--quiet', 'main');
  const work = addWorktree(repository);
  commitFiles(work, { 'file.txt': 'ours\n' });
  expect(() => git(work, 'merge', 'other')).toThrow();
  expect(await readState(work)).toEqual({ ...CLEAN, conflicted: ['file.txt'], operation: 'merge' });
});

test('ignored files are split by whether a snapshot would hold them', async () => {
  const work = addWorktree(makeRepository({ '.gitignore': '.env*\nbuild/\nnode_modules/\n' }));
  writeFiles(work, {
    '.env': 'mine\n',
    '.env.brought': 'brought\n',
    '.env.edited': 'edited\n',
    'build/x': 'x'.repeat(2000),
  });
  writeFiles(work, { 'node_modules/a/index.js': '12345' });
  const sha256 = createHash('sha256').update('brought\n').digest('hex');
  const included = ['.env.brought', '.env.edited', '.env.gone'].map(path => ({ path, sha256 }));
  const state = await readState(work, { included });
  expect(state).toEqual({
    ...CLEAN,
    ignored: {
      taken: ['.env', '.env.edited'],
      omitted: [
        { path: 'node_modules', bytes: 5, reason: 'tools can recreate it' },
        { path: 'build', bytes: 2000, reason: 'ignored files above the limit of 1000 bytes' },
      ],
      beyondLimit: [{ path: 'build', bytes: 2000, reason: 'ignored files above the limit of 1000 bytes' }],
    },
  });
});

test('nested repositories are found, also in ignored directories', async () => {
  const work = addWorktree(makeRepository({ '.gitignore': 'ignored/\n' }));
  makeRepository({ a: 'a\n' }, join(work, 'nested'));
  makeRepository({ a: 'a\n' }, join(work, 'ignored/deep/nested'));
  expect((await readState(work)).nestedRepositories.toSorted()).toEqual(['ignored/deep/nested', 'nested']);
});

test('a missing directory is reported with the state in its git directory', async () => {
  const work = addWorktree(makeRepository({ 'a.txt': 'a\n' }));
  writeFiles(work, { 'a.txt': 'staged\n' });
  git(work, 'add', 'a.txt');
  const place = placeOf(work);
  rmSync(work, { recursive: true });
  const limits = { ignoredBytes: 0, regenerable: [] };
  const state = await readWorkTreeState(testGit(), place, { limits, included: [], temporaryRoot: tempDir() });
  expect(state).toEqual({ ...CLEAN, isPresent: false, staged: ['a.txt'] });
});

function makeSuperproject(): { work: string; sub: string } {
  const library = makeRepository({ 'lib.txt': 'lib\n', '.gitignore': '*.o\n' });
  const repository = makeRepository();
  git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'sub');
  git(repository, 'commit', '--quiet', '-m', 'submodule');
  const work = addWorktree(repository);
  git(work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  return { work, sub: join(work, 'sub') };
}

const SUBMODULES: readonly (readonly [string, (sub: string) => void, readonly string[]])[] = [
  ['clean', () => {}, []],
  ['with ignored files only', (sub: string) => writeFiles(sub, { 'a.o': 'x' }), []],
  ['with an edit', (sub: string) => writeFiles(sub, { 'lib.txt': 'x\n' }), ['changes']],
  ['with a new file', (sub: string) => writeFiles(sub, { 'new.txt': 'x\n' }), ['changes']],
  [
    'with a commit',
    (sub: string) => void commitFiles(sub, { 'new.txt': 'x\n' }),
    ['other-commit', 'local-commits'],
  ],
  [
    'with a commit on another branch',
    (sub: string) => {
      git(sub, 'switch', '--quiet', '-c', 'mine');
      commitFiles(sub, { 'new.txt': 'x\n' });
      git(sub, 'switch', '--quiet', '--detach', 'origin/main');
    },
    ['local-commits'],
  ],
  [
    'with a stash',
    (sub: string) => {
      writeFiles(sub, { 'lib.txt': 'x\n' });
      git(sub, 'stash', '--quiet');
    },
    ['stash'],
  ],
  [
    'with an edit behind assume-unchanged',
    (sub: string) => {
      git(sub, 'update-index', '--assume-unchanged', 'lib.txt');
      writeFiles(sub, { 'lib.txt': 'x\n' });
    },
    ['changes'],
  ],
];

test.each(oneInSix(SUBMODULES))('a submodule %s', async (_, change, reasons) => {
  const { work, sub } = makeSuperproject();
  change(sub);
  const { dirtySubmodules, ...others } = await readState(work);
  expect(dirtySubmodules).toEqual(reasons.length > 0 ? [{ path: 'sub', reasons }] : []);
  expect(others).toMatchObject({ modified: [], untracked: [], nestedRepositories: [] });
});

test('a clean submodule stays clean when the files are moved away', async () => {
  const { work } = makeSuperproject();
  const place = placeOf(work);
  const aside = join(tempDir(), 'at/another/depth');
  mkdirSync(join(aside, '..'), { recursive: true });
  renameSync(work, aside);
  const limits = { ignoredBytes: 1000, regenerable: [] };
  const options = { limits, included: [], temporaryRoot: tempDir() };
  expect(await readWorkTreeState(testGit(), { ...place, workTree: aside }, options)).toEqual(CLEAN);
});

test('commits of a submodule that is no longer checked out are reported', async () => {
  const { work, sub } = makeSuperproject();
  commitFiles(sub, { 'new.txt': 'x\n' });
  git(work, 'submodule', '--quiet', 'deinit', '--force', 'sub');
  writeFiles(work, { 'sub/stray.txt': 'x\n' });
  const state = await readState(work);
  expect(state).toMatchObject({
    dirtySubmodules: [{ path: 'sub', reasons: ['local-commits'] }],
    untracked: ['sub/stray.txt'],
  });
});

test('an empty directory does not count as work', async () => {
  const work = addWorktree(makeRepository());
  mkdirSync(join(work, 'empty'));
  expect(await readState(work)).toEqual(CLEAN);
});
