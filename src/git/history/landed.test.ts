import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { commitFiles, gitEnv, makeRepository, git as plainGit } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { createGit } from '../git.js';
import { findUnlanded } from './landed.js';

const git = createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });
const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
const OWN = 'refs/heads/carrel/x';

/** A repository whose branch carrel/x is checked out at the same commit as main. */
function makeWork(path?: string) {
  const repository = makeRepository({ 'a.txt': LINES.join(''), 'b.txt': 'b\n' }, path);
  const base = plainGit(repository, 'rev-parse', 'HEAD');
  plainGit(repository, 'switch', '--quiet', '-c', 'carrel/x');
  const run = (...args: string[]) => plainGit(repository, ...args);
  const ask = async (candidates: readonly string[] = ['main'], tip = run('rev-parse', OWN)) => {
    const temporaryRoot = tempDir();
    const before = { objects: objectsOf(repository), state: fingerprint(repository) };
    const question = { tip, base, ownRefs: [OWN], candidates, temporaryRoot };
    const { landed, how, commits } = await findUnlanded(git, { gitDir: join(repository, '.git') }, question);
    expect({ objects: objectsOf(repository), state: fingerprint(repository) }).toEqual(before);
    expect(readdirSync(temporaryRoot)).toEqual([]);
    return { landed, how, subjects: commits.map(commit => commit.subject) };
  };
  return {
    repository,
    run,
    ask,
    commit: (files: Record<string, string>, message?: string) => commitFiles(repository, files, message),
  };
}

const objectsOf = (repository: string) =>
  readdirSync(join(repository, '.git/objects'), { recursive: true }).sort();

const edit = (line: number, text: string, lines = LINES) =>
  lines.map((old, index) => (index === line ? text : old));

const LANDED = (how: string) => ({ landed: true, how, subjects: [] });

test('a branch at its base has nothing new', async () => {
  const { ask } = makeWork();
  expect(await ask()).toEqual(LANDED('nothing-new'));
});

test('a base that only the detached HEAD of the repository holds counts as held', async () => {
  const { ask, run } = makeWork();
  run('switch', '--quiet', '--detach');
  run('branch', '--quiet', '--delete', '--force', 'main');
  expect(await ask([])).toEqual(LANDED('nothing-new'));
});

test('commits that no other ref holds are listed, newest first', async () => {
  const { ask, commit } = makeWork();
  commit({ c: '1\n' }, 'größe eins');
  commit({ c: '2\n' }, 'two');
  expect(await ask()).toEqual({ landed: false, how: 'not', subjects: ['two', 'größe eins'] });
});

test.each(['refs/heads/other', 'refs/remotes/origin/x', 'refs/tags/v1'])(
  'commits that %s holds are contained',
  async ref => {
    const { ask, commit, run } = makeWork();
    commit({ c: '1\n' });
    run('update-ref', ref, 'HEAD');
    expect(await ask([])).toEqual(LANDED('contained'));
  },
);

test('excluded refs and refs/carrel/ hold nothing', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' }, 'one');
  run('update-ref', 'refs/carrel/snapshots/s', 'HEAD');
  expect(await ask([OWN, 'carrel/x'])).toEqual({ landed: false, how: 'not', subjects: ['one'] });
});

test('a base that no other ref holds any more counts as unlanded', async () => {
  const { ask, run } = makeWork();
  run('switch', '--quiet', '--orphan', 'fresh');
  commitFiles(run('rev-parse', '--show-toplevel'), { z: 'z\n' }, 'fresh');
  run('branch', '-D', '--quiet', 'main');
  expect(await ask(['fresh'])).toEqual({ landed: false, how: 'not', subjects: ['first'] });
});

test('a merged branch is contained', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' });
  run('switch', '--quiet', 'main');
  run('merge', '--quiet', '--no-ff', '-m', 'merge', 'carrel/x');
  expect(await ask()).toEqual(LANDED('contained'));
});

test('a squashed branch has landed, even after more commits on main', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' });
  commit({ c: '2\n', 'a.txt': edit(3, 'mine\n').join('') });
  run('switch', '--quiet', 'main');
  commit({ 'b.txt': 'other work\n' });
  run('merge', '--quiet', '--squash', 'carrel/x');
  run('commit', '--quiet', '-m', 'squashed');
  commit({ 'd.txt': 'later\n' });
  expect(await ask()).toEqual(LANDED('squashed'));
  expect(await ask(['refs/heads/main'])).toEqual(LANDED('squashed'));
  expect((await ask([])).landed).toBe(false);
});

thoroughTest('a squashed branch whose lines main has changed since has landed', async () => {
  const { ask, commit, run } = makeWork();
  commit({ 'a.txt': edit(3, 'mine\n').join('') }, 'one');
  commit({ 'a.txt': edit(4, 'mine too\n', edit(3, 'mine\n')).join('') }, 'two');
  run('switch', '--quiet', 'main');
  run('merge', '--quiet', '--squash', 'carrel/x');
  run('commit', '--quiet', '-m', 'squashed');
  commit({ 'a.txt': edit(3, 'better\n', edit(4, 'mine too\n')).join('') }, 'on top');
  expect(await ask()).toEqual(LANDED('squashed'));
});

test('a squash that was reverted on main has not landed', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n', 'a.txt': edit(3, 'mine\n').join('') }, 'one');
  run('switch', '--quiet', 'main');
  run('merge', '--quiet', '--squash', 'carrel/x');
  run('commit', '--quiet', '-m', 'squashed');
  run('revert', '--no-edit', 'HEAD');
  expect(await ask()).toEqual({ landed: false, how: 'not', subjects: ['one'] });
});

thoroughTest('a branch with new commits after it was squashed has not landed', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' }, 'one');
  run('switch', '--quiet', 'main');
  run('merge', '--quiet', '--squash', 'carrel/x');
  run('commit', '--quiet', '-m', 'squashed');
  run('switch', '--quiet', 'carrel/x');
  commit({ c: '2\n' }, 'two');
  expect((await ask()).landed).toBe(false);
});

test('a rebased branch has landed, empty commits aside, even when main changed the same lines later', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' }, 'one');
  commit({}, 'nothing');
  commit({ 'a.txt': edit(3, 'mine\n').join('') }, 'two');
  run('switch', '--quiet', 'main');
  commit({ 'b.txt': 'other work\n' });
  run('cherry-pick', 'carrel/x~2', 'carrel/x');
  expect(await ask()).toEqual(LANDED('rebased'));
  commit({ 'a.txt': edit(3, 'better\n').join('') });
  expect(await ask()).toEqual(LANDED('rebased'));
});

test('a branch of which one commit was picked has not landed', async () => {
  const { ask, commit, run } = makeWork();
  const first = commit({ c: '1\n' }, 'one');
  commit({ d: '1\n' }, 'two');
  run('switch', '--quiet', 'main');
  commit({ 'b.txt': 'other work\n' });
  run('cherry-pick', first);
  expect(await ask()).toEqual({ landed: false, how: 'not', subjects: ['two', 'one'] });
});

thoroughTest('a change that the branch itself reverted has not landed', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' }, 'an attempt');
  run('revert', '--no-edit', 'HEAD');
  expect((await ask()).landed).toBe(false);
});

test('a branch with only empty commits has not landed', async () => {
  const { ask, commit } = makeWork();
  commit({}, 'a note');
  expect(await ask()).toEqual({ landed: false, how: 'not', subjects: ['a note'] });
});

thoroughTest('a branch that had merged main before it was squashed has landed', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' }, 'one');
  run('switch', '--quiet', 'main');
  commit({ 'b.txt': 'other work\n' });
  run('switch', '--quiet', 'carrel/x');
  run('merge', '--quiet', '--no-edit', 'main');
  commit({ c: '2\n' }, 'two');
  run('switch', '--quiet', 'main');
  run('merge', '--quiet', '--squash', 'carrel/x');
  run('commit', '--quiet', '-m', 'squashed');
  expect(await ask()).toEqual(LANDED('squashed'));
});

thoroughTest('a squashed branch that merged main afterwards has landed', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' }, 'one');
  commit({ c: '2\n' }, 'two');
  run('switch', '--quiet', 'main');
  run('merge', '--quiet', '--squash', 'carrel/x');
  run('commit', '--quiet', '-m', 'squashed');
  run('switch', '--quiet', 'carrel/x');
  run('merge', '--quiet', '--no-edit', 'main');
  expect(await ask()).toEqual(LANDED('squashed'));
});

test('changes made in a merge commit have not landed', async () => {
  const { ask, commit, run } = makeWork();
  commit({ c: '1\n' }, 'one');
  run('switch', '--quiet', 'main');
  run('merge', '--quiet', '--squash', 'carrel/x');
  run('commit', '--quiet', '-m', 'squashed');
  commit({ 'b.txt': 'other work\n' });
  run('switch', '--quiet', 'carrel/x');
  run('merge', '--quiet', '--no-commit', '--no-ff', 'main');
  commit({ 'only-in-the-merge.txt': 'x\n' }, 'a merge with more in it');
  expect((await ask()).landed).toBe(false);
});

thoroughTest(
  'all patches on main are not enough when a merge commit has its own changes and main moved on',
  async () => {
    const { ask, commit, run } = makeWork();
    const picked = commit({ 'a.txt': edit(3, 'mine\n').join('') }, 'one');
    run('switch', '--quiet', 'main');
    commit({ 'b.txt': 'other work\n' });
    run('switch', '--quiet', 'carrel/x');
    run('merge', '--quiet', '--no-commit', '--no-ff', 'main');
    commit({ 'only-in-the-merge.txt': 'x\n' }, 'a merge with more in it');
    run('switch', '--quiet', 'main');
    run('cherry-pick', picked);
    commit({ 'a.txt': edit(3, 'better\n').join('') });
    expect((await ask()).landed).toBe(false);
  },
);

test('a history that shares nothing with main has not landed', async () => {
  const { ask, commit, run } = makeWork();
  run('switch', '--quiet', '--orphan', 'alone');
  const tip = commit({ z: 'z\n' }, 'alone');
  run('update-ref', OWN, tip);
  run('switch', '--quiet', 'main');
  run('branch', '-D', '--quiet', 'alone');
  expect(await ask()).toEqual({ landed: false, how: 'not', subjects: ['alone'] });
});

test('a merge driver that keeps our side does not make unlanded work look landed', async () => {
  const { ask, commit, run } = makeWork();
  run('config', 'merge.keep.driver', 'true');
  run('switch', '--quiet', 'main');
  commit({ '.gitattributes': 'a.txt merge=keep\n' }, 'attributes');
  run('switch', '--quiet', 'carrel/x');
  run('merge', '--quiet', 'main');
  commit({ 'a.txt': edit(3, 'mine\n').join('') }, 'one');
  run('switch', '--quiet', 'main');
  commit({ 'a.txt': edit(15, 'theirs\n').join('') }, 'two');
  expect((await ask()).landed).toBe(false);
});

thoroughTest('it works where the path of the repository has a colon', async () => {
  const { ask, commit, run } = makeWork(join(tempDir(), 'a:b'));
  commit({ c: '1\n' });
  commit({ c: '2\n' });
  run('switch', '--quiet', 'main');
  run('merge', '--quiet', '--squash', 'carrel/x');
  run('commit', '--quiet', '-m', 'squashed');
  expect(await ask()).toEqual(LANDED('squashed'));
});
