import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  commitFiles,
  makeRepository,
  git as plainGit,
  writeFiles,
} from '../../../../test/helpers/repository.js';
import { edit, makeWorkspace, refusal } from '../../../../test/helpers/workspace/landing.js';
import type { LandStrategy } from '../../backend.js';

const STRATEGIES: readonly LandStrategy[] = ['merge', 'squash', 'rebase'];

const log = (run: (...args: string[]) => string, range: string) =>
  run('log', '--format=%s', range).split('\n');

test('fast-forwards main when main has nothing new', async () => {
  const { path, repository, run, land, steps } = makeWorkspace();
  commitFiles(path, { 'c.txt': '1\n' }, 'one');
  const tip = commitFiles(path, { 'c.txt': '2\n' }, 'two');
  const before = run('rev-parse', 'main');
  expect(await land()).toEqual({
    into: 'main',
    before,
    after: tip,
    commits: 2,
    isFastForward: true,
    checkouts: [repository],
  });
  expect(run('rev-parse', 'main')).toBe(tip);
  expect(run('status', '--porcelain')).toBe('');
  expect(readFileSync(join(repository, 'c.txt'), 'utf8')).toBe('2\n');
  expect(steps).toEqual(['moved', 'checked-out']);
  expect(run('log', '-g', '-1', '--format=%gs', 'main')).toBe('carrel: land x');
});

test.each(STRATEGIES)('%s lands a diverged workspace and updates the checkout', async strategy => {
  const { path, repository, run, land } = makeWorkspace();
  commitFiles(path, { 'c.txt': '1\n' }, 'one');
  commitFiles(path, { 'a.txt': edit(3, 'mine\n').join('') }, 'two');
  const before = commitFiles(repository, { 'a.txt': edit(15, 'theirs\n').join('') }, 'theirs');
  const plan = await land({ strategy });
  expect(plan.commits).toBe(2);
  expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe(
    edit(3, 'mine\n', edit(15, 'theirs\n')).join(''),
  );
  expect(run('status', '--porcelain')).toBe('');
  const subjects = {
    merge: ['Merge workspace x', 'two', 'one'],
    squash: ['Land workspace x'],
    rebase: ['two', 'one'],
  };
  expect(log(run, `${before}..main`)).toEqual(subjects[strategy]);
  const parents = run('rev-list', '--parents', '-n', '1', 'main').split(' ').length - 1;
  expect(parents).toBe(strategy === 'merge' ? 2 : 1);
  expect(run('fsck', '--no-dangling')).toBe('');
});

test('a squash of several commits lists them, a squash of one keeps its message, and -m overrides both', async () => {
  const { path, run, landing, record, request } = makeWorkspace();
  const squash = (message?: string) => landing.prepare(record, request({ strategy: 'squash', message }));
  const messageOf = async (message?: string) =>
    run('show', '-s', '--format=%B', (await squash(message)).after);
  commitFiles(path, { 'c.txt': '1\n' }, 'one\n\nwith a body');
  expect(await messageOf()).toBe('one\n\nwith a body');
  commitFiles(path, { 'c.txt': '2\n' }, 'two');
  expect(await messageOf()).toBe('Land workspace x\n\n* one\n* two');
  expect(await messageOf('all of it')).toBe('all of it');
});

test('a merge commit uses the given message', async () => {
  const { path, repository, run, land } = makeWorkspace();
  commitFiles(path, { 'c.txt': '1\n' });
  commitFiles(repository, { 'd.txt': '1\n' });
  await land({ message: 'Bring it home' });
  expect(run('show', '-s', '--format=%s')).toBe('Bring it home');
});

test('a rebase keeps the author, and drops commits that main already has', async () => {
  const { path, repository, run, land } = makeWorkspace();
  writeFiles(path, { 'c.txt': '1\n' });
  plainGit(path, 'add', '--all');
  plainGit(
    path,
    'commit',
    '--quiet',
    '--author=Ada <ada@example.com>',
    '--date=1000000000 +0200',
    '-m',
    'one',
  );
  const picked = commitFiles(path, { 'b.txt': 'B\n' }, 'two');
  run('cherry-pick', picked);
  commitFiles(repository, { 'd.txt': '1\n' }, 'three');
  await land({ strategy: 'rebase' });
  expect(run('log', '-2', '--format=%s by %an %at')).toMatch(/^one by Ada 1000000000\nthree by Test \d+$/);
});

test('a rebase drops merge commits when that loses nothing', async () => {
  const { path, repository, run, land } = makeWorkspace();
  commitFiles(path, { 'c.txt': '1\n' }, 'one');
  commitFiles(repository, { 'd.txt': '1\n' }, 'theirs');
  plainGit(path, 'merge', '--quiet', '--no-edit', 'main');
  commitFiles(path, { 'c.txt': '2\n' }, 'two');
  await land({ strategy: 'rebase' });
  expect(log(run, '-3')).toEqual(['two', 'one', 'theirs']);
  expect(run('rev-parse', 'main^{tree}')).toBe(run('rev-parse', 'carrel/x^{tree}'));
});

test('a rebase that would lose changes made in a merge commit is a conflict', async () => {
  const workspace = makeWorkspace();
  const { path, repository, landing, record, request } = workspace;
  commitFiles(path, { 'c.txt': '1\n' }, 'one');
  commitFiles(repository, { 'd.txt': '1\n' }, 'theirs');
  plainGit(path, 'merge', '--quiet', '--no-commit', '--no-ff', 'main');
  commitFiles(path, { 'decided.txt': 'x\n' }, 'a merge with more in it');
  expect(await refusal(workspace, () => landing.prepare(record, request({ strategy: 'rebase' })))).toEqual({
    code: 'LAND_CONFLICT',
    details: { name: 'x', into: 'main', files: ['decided.txt'] },
  });
});

test.each(STRATEGIES)('%s with a conflict names the files and changes nothing', async strategy => {
  const workspace = makeWorkspace();
  const { path, repository, landing, record, request } = workspace;
  commitFiles(path, { 'a.txt': edit(3, 'mine\n').join(''), 'größe.txt': 'mine\n', 'fine.txt': 'x\n' });
  commitFiles(repository, { 'a.txt': edit(3, 'theirs\n').join(''), 'größe.txt': 'theirs\n' });
  expect(await refusal(workspace, () => landing.prepare(record, request({ strategy })))).toEqual({
    code: 'LAND_CONFLICT',
    details: { name: 'x', into: 'main', files: ['a.txt', 'größe.txt'] },
  });
});

test.each(STRATEGIES)('%s has nothing to land without commits and after a squash', async strategy => {
  const workspace = makeWorkspace();
  const { path, repository, land, landing, record, request } = workspace;
  const prepare = () => landing.prepare(record, request({ strategy }));
  expect((await refusal(workspace, prepare)).code).toBe('LAND_NOTHING');
  commitFiles(repository, { 'd.txt': '1\n' });
  commitFiles(path, { 'c.txt': '1\n' }, 'one');
  await land({ strategy: 'squash' });
  expect((await refusal(workspace, prepare)).code).toBe('LAND_NOTHING');
});

test('a missing and a replaced workspace are reported as such', async () => {
  const { path, landing, record, request } = makeWorkspace();
  rmSync(path, { recursive: true });
  await expect(landing.prepare(record, request())).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' });
  makeRepository({ other: 'x\n' }, path);
  await expect(landing.prepare(record, request())).rejects.toMatchObject({ code: 'WORKSPACE_REPLACED' });
  await expect(landing.commitAll(record, 'all')).rejects.toMatchObject({ code: 'WORKSPACE_REPLACED' });
});

test.each(['main', null, 'HEAD', 'v1', 'gone'])(
  'created from %s it lands by default on an existing branch',
  async base => {
    const { path, repository, run, landing, record, request } = makeWorkspace({ base });
    run('tag', 'v1');
    run('switch', '--quiet', '-c', 'current');
    commitFiles(repository, { 'd.txt': '1\n' });
    commitFiles(path, { 'c.txt': '1\n' });
    expect((await landing.prepare(record, request())).into).toBe(base === 'main' ? 'main' : 'current');
  },
);

test('a missing branch is refused with a suggestion, even when it looks like a flag', async () => {
  const workspace = makeWorkspace();
  const { path, landing, record, request } = workspace;
  commitFiles(path, { 'c.txt': '1\n' });
  const attempt = (into: string) => refusal(workspace, () => landing.prepare(record, request({ into })));
  const { repository } = record;
  expect(await attempt('mian')).toEqual({
    code: 'UNKNOWN_BRANCH',
    details: { branch: 'mian', repository, nearest: 'main' },
  });
  for (const into of ['--all', '', 'main~1', 'refs/tags/v1', '*'])
    expect((await attempt(into)).code).toBe('UNKNOWN_BRANCH');
});

test('a detached repository without a base branch has no target to land on', async () => {
  const workspace = makeWorkspace({ base: null });
  workspace.run('switch', '--quiet', '--detach');
  commitFiles(workspace.path, { 'c.txt': '1\n' });
  const { code } = await refusal(workspace, () =>
    workspace.landing.prepare(workspace.record, workspace.request()),
  );
  expect(code).toBe('INVALID_INPUT');
});

test("the workspace's own branch, and the one that it switched to, are refused", async () => {
  const workspace = makeWorkspace();
  const { path, landing, record, request } = workspace;
  plainGit(path, 'switch', '--quiet', '-c', 'other');
  commitFiles(path, { 'c.txt': '1\n' });
  for (const into of ['carrel/x', 'refs/heads/carrel/x', 'other']) {
    expect((await refusal(workspace, () => landing.prepare(record, request({ into })))).code).toBe(
      'INVALID_INPUT',
    );
  }
});

test('lands what is checked out in the workspace, also on a detached HEAD', async () => {
  const { path, run, land } = makeWorkspace();
  plainGit(path, 'switch', '--quiet', '--detach');
  const tip = commitFiles(path, { 'c.txt': '1\n' });
  await land();
  expect(run('rev-parse', 'main')).toBe(tip);
});

test('a history unrelated to the target is refused', async () => {
  const workspace = makeWorkspace();
  plainGit(workspace.path, 'switch', '--quiet', '--orphan', 'alone');
  commitFiles(workspace.path, { 'c.txt': '1\n' });
  const { code } = await refusal(workspace, () =>
    workspace.landing.prepare(workspace.record, workspace.request()),
  );
  expect(code).toBe('INVALID_INPUT');
});
