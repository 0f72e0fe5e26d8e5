import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addWorktree, placeOf } from '../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { writeWorkTreeDiff } from '../diff/work-tree-diff.js';
import type { Git } from '../git.js';
import { listForeignUntracked } from './foreign-files.js';
import { readWorkTreeState } from './work-tree-state.js';

/** What Carrel reports about the files, treated as trusted or as foreign. */
async function tell(workTree: string, isForeign: boolean) {
  const place = { ...placeOf(workTree), isForeign };
  const limits = { ignoredBytes: 50_000_000, regenerable: ['node_modules'] };
  const state = await readWorkTreeState(testGit(), place, { limits, included: [], temporaryRoot: tempDir() });
  const chunks: Buffer[] = [];
  const { skipped } = await writeWorkTreeDiff(
    testGit(),
    place,
    { against: git(workTree, 'rev-parse', 'HEAD'), format: 'patch', temporaryRoot: tempDir() },
    chunk => void chunks.push(chunk),
  );
  return { state, skipped, patch: Buffer.concat(chunks).toString('latin1') };
}

async function expectSame(workTree: string) {
  const [foreign, own] = [await tell(workTree, true), await tell(workTree, false)];
  expect(foreign).toEqual(own);
  return foreign;
}

test('foreign files are reported as git reports them: edits, kinds, modes, deletions, untracked, ignored', async () => {
  const repository = makeRepository({
    '.gitignore': '*.log\nbuild/\n!keep.log\n/only-here\n',
    'inner/.gitignore': '*.tmp\n!wanted.tmp\n',
    'inner/deep/file.txt': 'x\n',
    'same.txt': 'same\n',
    'edited.txt': 'before\n',
    'mode.sh': '#!/bin/sh\n',
    'deleted.txt': 'x\n',
    'to-link.txt': 'x\n',
    'to-directory.txt': 'x\n',
    'touched.txt': 'touched\n',
  });
  writeFiles(repository, { 'build/forced.txt': 'tracked though ignored\n' });
  git(repository, 'add', '--force', 'build/forced.txt');
  git(repository, 'commit', '--quiet', '-m', 'forced');
  const work = addWorktree(repository);
  writeFiles(work, {
    'edited.txt': 'after\n',
    'build/other.txt': 'ignored\n',
    'build/deep/other.txt': 'ignored\n',
    'new/deep/file.txt': 'new\n',
    'new/deep/a.log': 'ignored\n',
    'new/keep.log': 'wanted\n',
    'inner/a.tmp': 'ignored\n',
    'inner/deep/wanted.tmp': 'wanted\n',
    'inner/only-here': 'not ignored\n',
    'only-here': 'ignored\n',
    'node_modules/x/index.js': 'untracked\n',
    ':(glob)odd': 'a name with magic\n',
    '-dash': 'a name like an option\n',
  });
  writeFileSync(Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xff, 0xfe])]), 'odd');
  chmodSync(join(work, 'mode.sh'), 0o755);
  for (const name of ['deleted.txt', 'to-link.txt', 'to-directory.txt']) rmSync(join(work, name));
  symlinkSync('same.txt', join(work, 'to-link.txt'));
  writeFiles(work, { 'to-directory.txt/file': 'x\n' });
  utimesSync(join(work, 'touched.txt'), 1, 1);
  mkdirSync(join(work, 'empty'));
  const { state } = await expectSame(work);
  expect(state.modified).toEqual(['deleted.txt', 'edited.txt', 'mode.sh', 'to-directory.txt', 'to-link.txt']);
  expect(state.ignored.taken).toContain('build/deep/other.txt');
});

test('line endings are reported as git reports them, touched files included', async () => {
  const repository = makeRepository({
    '.gitattributes': '*.bat text eol=crlf\n',
    'touched.bat': 'a\nb\n',
    'edited.bat': 'a\nb\n',
  });
  const work = addWorktree(repository);
  utimesSync(join(work, 'touched.bat'), 1, 1);
  writeFiles(work, { 'edited.bat': 'a\r\nb\r\nc\r\n', 'new.bat': 'n\r\n' });
  const { state, patch } = await expectSame(work);
  expect(state.modified).toEqual(['edited.bat']);
  expect(patch).toContain('+c\n');
  expect(patch).not.toContain('\r');
});

test('staged, hidden and conflicted files are reported as git reports them', async () => {
  const repository = makeRepository({
    'a.txt': 'a\n',
    'hidden.txt': 'x\n',
    'skipped.txt': 'x\n',
    'c.txt': 'c\n',
  });
  const work = addWorktree(repository);
  git(repository, 'checkout', '--quiet', '-b', 'other');
  commitFiles(repository, { 'c.txt': 'theirs\n' });
  commitFiles(work, { 'c.txt': 'ours\n' });
  expect(() => git(work, 'merge', 'other')).toThrow();
  git(work, 'update-index', '--assume-unchanged', 'hidden.txt');
  git(work, 'update-index', '--skip-worktree', 'skipped.txt');
  writeFiles(work, { 'a.txt': 'staged\n', 'hidden.txt': 'y\n', 'skipped.txt': 'y\n' });
  git(work, 'add', 'a.txt');
  writeFiles(work, { 'a.txt': 'staged and edited\n', 'intended.txt': 'x\n' });
  git(work, 'add', '--intent-to-add', 'intended.txt');
  const { state } = await expectSame(work);
  expect(state).toMatchObject({
    conflicted: ['c.txt'],
    hidden: ['hidden.txt', 'skipped.txt'],
    operation: 'merge',
  });
});

test('an edit of the same size within the second of the checkout is seen', async () => {
  const work = addWorktree(makeRepository({ 'a.txt': 'aaaa\n' }));
  writeFiles(work, { 'a.txt': 'bbbb\n' });
  const { state } = await expectSame(work);
  expect(state.modified).toEqual(['a.txt']);
});

test('a rules file that is too large is not applied', async () => {
  const work = addWorktree(makeRepository());
  writeFiles(work, { '.gitignore': `*.log\n${'#'.repeat(2 << 20)}\n`, 'a.log': 'x\n' });
  const { state } = await tell(work, true);
  expect(state.untracked).toEqual(['.gitignore', 'a.log']);
});

test('a nested repository is one entry and is not entered, and neither is a submodule', async () => {
  const repository = makeRepository();
  const commit = git(repository, 'rev-parse', 'HEAD');
  git(repository, 'update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
  git(repository, 'commit', '--quiet', '-m', 'submodule');
  const work = addWorktree(repository);
  makeRepository({ 'inner.txt': 'x\n' }, join(work, 'nested/deep'));
  makeRepository({ 'inner.txt': 'x\n' }, join(work, 'sub'));
  const { state, skipped } = await tell(work, true);
  expect(state).toMatchObject({
    modified: [],
    untracked: [],
    nestedRepositories: ['nested/deep'],
    dirtySubmodules: [{ path: 'sub', reasons: ['unreadable'] }],
  });
  expect(skipped).toEqual(['nested/deep', 'sub']);
});

test('one git process finds ignored files in directories of any depth', async () => {
  const work = addWorktree(makeRepository({ '.gitignore': '*.log\n' }));
  const deep = Array.from({ length: 300 }, () => 'd').join('/');
  writeFiles(work, {
    [`${deep}/new.txt`]: 'x\n',
    [`${deep}/a.log`]: 'x\n',
    [`${deep}/.gitignore`]: '*.tmp\n!kept.log\n!*.log/\n',
    [`${deep}/a.tmp`]: 'x\n',
    [`${deep}/kept.log`]: 'x\n',
  });
  const own = testGit();
  const commands: string[] = [];
  const run: Git['run'] = (args, options) => {
    commands.push(String(args[0]));
    return own.run(args, options);
  };
  const place = { ...placeOf(work), isForeign: true };
  const index = { ...place, workTree: tempDir() };
  const { untracked } = await listForeignUntracked({ ...own, run }, place, index, []);
  expect(untracked).toEqual([
    '.gitignore',
    ...['.gitignore', 'kept.log', 'new.txt'].map(name => `${deep}/${name}`),
  ]);
  expect(commands).toEqual(['check-ignore']);
});

test('a foreign sparse file of a terabyte is neither read nor copied', async () => {
  const work = addWorktree(makeRepository({ 'tracked.bin': 'x\n' }));
  writeFiles(work, { 'new.bin': '', 'small.txt': 'small\n' });
  for (const name of ['tracked.bin', 'new.bin']) truncateSync(join(work, name), 2 ** 40);
  const { state, skipped, patch } = await tell(work, true);
  expect(state).toMatchObject({ modified: ['tracked.bin'], tooLarge: ['tracked.bin', 'new.bin'] });
  expect(skipped.toSorted()).toEqual(['new.bin', 'tracked.bin']);
  expect(patch).toContain('+small');
  expect(patch).not.toContain('.bin');
});
