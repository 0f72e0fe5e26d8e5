import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import {
  addWorktree,
  captureRequest,
  expectRoundTrip,
  listFiles,
  loseWorkTree,
  placeOf,
  restoreElsewhere,
} from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { captureWorkTree } from './capture.js';

function makeNested(path: string): void {
  makeRepository({ 'inner.txt': 'inner\n', '.gitignore': 'cache/\n' }, path);
  writeFiles(path, { 'inner.txt': 'stashed\n' });
  git(path, 'stash', '--quiet');
  writeFiles(path, { 'inner.txt': 'edited\n', 'new.txt': 'new\n', 'cache/x': 'ignored\n' });
}

test('a nested repository is restored completely, with its own work, stash and ignored files', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  makeNested(join(work, 'vendor/nested'));
  makeNested(join(work, 'vendor/nested/deeper'));
  const { restored } = await expectRoundTrip(repository, work);
  const nested = join(restored, 'vendor/nested');
  expect(git(nested, 'status', '--porcelain')).toBe(' M inner.txt\n?? deeper/\n?? new.txt');
  expect(git(nested, 'stash', 'show', '-p')).toContain('+stashed');
  expect(git(nested, 'fsck', '--no-dangling')).toBe('');
});

thoroughTest(
  'nested repositories without commits, inside ignored directories, and with tracked files are restored',
  async () => {
    const repository = makeRepository({ '.gitignore': 'ignored/\n', 'mixed/tracked.txt': 'tracked\n' });
    const work = addWorktree(repository);
    makeNested(join(work, 'ignored/nested'));
    mkdirSync(join(work, 'unborn'));
    git(join(work, 'unborn'), 'init', '--quiet');
    writeFiles(work, { 'unborn/file.txt': 'x\n', 'mixed/tracked.txt': 'edited\n' });
    git(join(work, 'mixed'), 'init', '--quiet');
    commitFiles(join(work, 'mixed'), { 'own.txt': 'own\n' });
    const { restored } = await expectRoundTrip(repository, work);
    expect(git(join(restored, 'mixed'), 'show', 'HEAD:own.txt')).toBe('own');
  },
);

/** A repository with a submodule `lib/sub`, and a work tree of it in which the submodule is checked out. */
function makeSuperproject(): { repository: string; work: string; sub: string } {
  const library = makeRepository({ 'lib.txt': 'lib\n', '.gitignore': '*.o\n' });
  const repository = makeRepository();
  git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib/sub');
  git(repository, 'commit', '--quiet', '-m', 'submodule');
  const work = addWorktree(repository);
  git(work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  return { repository, work, sub: join(work, 'lib/sub') };
}

/** The git directory of a submodule moves into the submodule, so that only its files are compared. */
const withoutGitDirectory = (path: string) => !/\/\.git(\/|$)/.test(path);

thoroughTest('a submodule with changes, commits and a stash is restored and works', async () => {
  const { repository, work, sub } = makeSuperproject();
  writeFiles(sub, { 'lib.txt': 'stashed\n' });
  git(sub, 'stash', '--quiet');
  const commit = commitFiles(sub, { 'committed.txt': 'only here\n' });
  writeFiles(sub, { 'lib.txt': 'edited\n', 'new.txt': 'new\n', 'lib.o': 'ignored\n' });
  const { restored, meta, captured } = await expectRoundTrip(repository, work, {}, withoutGitDirectory);
  const again = join(restored, 'lib/sub');
  expect(meta.absorbed).toEqual(['lib/sub']);
  expect(git(repository, 'rev-parse', `${captured.commit}:lib/sub`)).toBe(commit);
  expect(git(again, 'rev-parse', 'HEAD')).toBe(commit);
  expect(git(again, 'rev-parse', '--show-toplevel')).toBe(again);
  expect(git(again, 'status', '--porcelain')).toBe(' M lib.txt\n?? new.txt');
  expect(git(again, 'stash', 'show', '-p')).toContain('+stashed');
  expect(git(restored, 'status', '--porcelain')).toBe(' M lib/sub');
});

thoroughTest('a clean submodule is left out and reported', async () => {
  const { repository, work } = makeSuperproject();
  const { captured, restored } = await expectRoundTrip(
    repository,
    work,
    {},
    path => !path.startsWith('lib/sub/'),
  );
  expect(captured.omitted).toMatchObject([
    { path: 'lib/sub', reason: expect.stringContaining('git submodule update --init') },
  ]);
  expect(existsSync(join(restored, 'lib/sub/lib.txt'))).toBe(false);
});

thoroughTest('a submodule with only ignored files is restored', async () => {
  const { repository, work, sub } = makeSuperproject();
  writeFiles(sub, { 'only.o': 'object\n' });
  await expectRoundTrip(repository, work, {}, withoutGitDirectory);
});

thoroughTest('files in the directory of a submodule that is not checked out are restored', async () => {
  const { repository, work } = makeSuperproject();
  git(work, 'submodule', '--quiet', 'deinit', '--force', 'lib/sub');
  writeFiles(work, { 'lib/sub/notes.txt': 'git does not see me\n' });
  await expectRoundTrip(repository, work);
});

thoroughTest('commits of a submodule that is no longer checked out are kept', async () => {
  const { repository, work, sub } = makeSuperproject();
  const commit = commitFiles(sub, { 'committed.txt': 'only here\n' });
  git(work, 'submodule', '--quiet', 'deinit', '--force', 'lib/sub');
  const { restored } = await expectRoundTrip(repository, work);
  const gitDir = join(placeOf(restored).gitDir, 'modules/lib/sub');
  expect(git(gitDir, `--git-dir=${gitDir}`, 'log', '-1', '--format=%H', 'HEAD', '--')).toBe(commit);
});

thoroughTest(
  'a submodule is found where its files were moved to, although its relative link no longer matches',
  async () => {
    const { repository, work, sub } = makeSuperproject();
    writeFiles(sub, { 'lib.txt': 'edited\n' });
    const place = placeOf(work);
    const expected = Object.fromEntries(
      Object.entries(listFiles(work)).filter(([path]) => withoutGitDirectory(path)),
    );
    const aside = join(work, '..', 'at', 'another', 'depth');
    mkdirSync(join(aside, '..'), { recursive: true });
    renameSync(work, aside);
    const { commit } = await captureWorkTree(testGit(), { ...place, workTree: aside }, captureRequest());
    renameSync(aside, work);
    loseWorkTree(repository, work);
    const { restored, meta } = await restoreElsewhere(repository, commit);
    expect(meta.absorbed).toEqual(['lib/sub']);
    expect(
      Object.fromEntries(Object.entries(listFiles(restored)).filter(([path]) => withoutGitDirectory(path))),
    ).toEqual(expected);
    expect(readFileSync(join(restored, 'lib/sub/lib.txt'), 'utf8')).toBe('edited\n');
  },
);

thoroughTest('a submodule whose git directory is damaged is captured as files', async () => {
  const { repository, work, sub } = makeSuperproject();
  rmSync(join(placeOf(work).gitDir, 'modules'), { recursive: true });
  writeFileSync(join(sub, 'lib.txt'), 'all that is left\n');
  const before = listFiles(sub);
  const { commit } = await captureWorkTree(testGit(), placeOf(work), captureRequest());
  loseWorkTree(repository, work);
  const { restored } = await restoreElsewhere(repository, commit);
  expect(listFiles(join(restored, 'lib/sub'))).toEqual(before);
});
