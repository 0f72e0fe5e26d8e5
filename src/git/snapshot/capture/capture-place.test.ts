import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../../test/helpers/fingerprint.js';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import {
  addWorktree,
  captureRequest,
  expectSound,
  listFiles,
  loseWorkTree,
  observe,
  placeOf,
  REF,
  restoreElsewhere,
} from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { commitFiles, git, gitEnv, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { gitEnvironment } from '../../../exec/command-environment.js';
import { runProcess } from '../../../exec/run-process.js';
import { createGit } from '../../git.js';
import { captureWorkTree } from './capture.js';

// Where the files and the repository are, and what prevents a capture.

test('when the directory is gone, the state in its git directory is captured', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const work = addWorktree(repository);
  writeFiles(work, { 'a.txt': 'staged\n' });
  git(work, 'add', 'a.txt');
  const place = placeOf(work);
  const staged = listFiles(work);
  rmSync(work, { recursive: true });
  const { commit } = await captureWorkTree(testGit(), place, captureRequest());
  rmSync(place.gitDir, { recursive: true });
  const { restored } = await restoreElsewhere(repository, commit);
  expect(listFiles(restored)).toEqual(staged);
  expect(git(restored, 'status', '--porcelain')).toBe('M  a.txt');
});

thoroughTest('moved files are captured from their new path', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n' });
  const work = addWorktree(repository);
  writeFiles(work, { 'a.txt': 'edited\n', 'new.txt': 'n\n' });
  const place = placeOf(work);
  const expected = listFiles(work);
  const aside = join(tempDir(), 'deeper', 'aside');
  mkdirSync(join(aside, '..'));
  renameSync(work, aside);
  const { commit } = await captureWorkTree(testGit(), { ...place, workTree: aside }, captureRequest());
  renameSync(aside, work);
  loseWorkTree(repository, work);
  const { restored } = await restoreElsewhere(repository, commit);
  expect(listFiles(restored)).toEqual(expected);
});

thoroughTest('the tip of the branch is kept when HEAD is elsewhere', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  const tip = commitFiles(work, { 'only-here.txt': 'x\n' });
  git(work, 'switch', '--quiet', '--detach', 'main');
  const { commit } = await captureWorkTree(
    testGit(),
    placeOf(work),
    captureRequest({ branch: 'carrel/work' }),
  );
  git(repository, 'update-ref', '-d', 'refs/heads/carrel/work');
  loseWorkTree(repository, work);
  expect(git(repository, 'cat-file', '-t', tip)).toBe('commit');
  const { meta } = await restoreElsewhere(repository, commit);
  expect(meta).toMatchObject({ branchTip: tip, head: { ref: null, branch: null } });
  expectSound(repository);
});

test('the main work tree can be captured too, and is restored as a linked worktree', async () => {
  const repository = makeRepository({ 'file.txt': 'base\n', '.gitignore': '.env\n' });
  git(repository, 'config', 'extensions.worktreeConfig', 'true');
  git(repository, 'config', '--worktree', 'core.bare', 'false');
  git(repository, 'config', '--worktree', 'core.worktree', repository);
  git(repository, 'switch', '--quiet', '-c', 'other');
  commitFiles(repository, { 'file.txt': 'theirs\n' });
  git(repository, 'switch', '--quiet', 'main');
  commitFiles(repository, { 'file.txt': 'ours\n' });
  expect(() => git(repository, 'merge', 'other')).toThrow();
  writeFiles(repository, { 'new.txt': 'new\n', '.env': 'e\n' });
  const before = { state: observe(repository), fingerprint: fingerprint(repository) };
  const { commit } = await captureWorkTree(testGit(), placeOf(repository), captureRequest());
  expect({ state: observe(repository), fingerprint: fingerprint(repository) }).toEqual(before);
  const { restored } = await restoreElsewhere(repository, commit);
  expect(observe(restored)).toEqual(before.state);
  git(restored, 'add', 'file.txt');
  git(restored, 'commit', '--quiet', '--no-edit');
  expect(git(restored, 'log', '-1', '--format=%s')).toMatch(/^Merge branch 'other'/);
});

test('an existing ref is not overwritten', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  git(repository, 'update-ref', REF, 'main');
  await expect(captureWorkTree(testGit(), placeOf(work), captureRequest())).rejects.toMatchObject({
    code: 'REF_MOVED',
  });
  expect(git(repository, 'rev-parse', REF)).toBe(git(repository, 'rev-parse', 'main'));
});

test('a work tree that became a symbolic link is refused', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  const place = placeOf(work);
  const elsewhere = tempDir();
  rmSync(work, { recursive: true });
  symlinkSync(elsewhere, work);
  await expect(captureWorkTree(testGit(), place, captureRequest())).rejects.toMatchObject({
    code: 'UNSAFE_PATH',
  });
});

test('without a git identity snapshots are committed as Carrel', async () => {
  const repository = makeRepository();
  const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, ...nobody } = gitEnv();
  const stranger = createGit({ run: runProcess, env: gitEnvironment(nobody) });
  const request = captureRequest({ message: 'before lunch ☕' });
  const { commit } = await captureWorkTree(stranger, placeOf(addWorktree(repository)), request);
  expect(git(repository, 'log', '-1', '--format=%an <%ae> %cI %s', commit)).toBe(
    'Carrel <carrel@localhost> 2026-01-02T03:04:05+00:00 before lunch ☕',
  );
});
