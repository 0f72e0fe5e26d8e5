import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { gitEnv, makeRepository, git as plainGit } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { createGit, type Git } from '../../git/git.js';
import { initSubmodules } from './fill-submodules.js';

const git = createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });
/** As a user who allows submodules from local paths. */
const allowing = createGit({
  run: runProcess,
  env: { ...gitEnvironment(gitEnv()), GIT_ALLOW_PROTOCOL: 'file' },
});

/** A repository with a submodule that has one itself, neither set up in the checkout, and a new worktree of it. */
function makeWorktree() {
  const root = tempDir();
  const add = (repository: string, source: string, path: string) => {
    plainGit(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, path);
    plainGit(repository, 'commit', '--quiet', '-m', 'submodule');
  };
  const inner = makeRepository({ 'inner.txt': 'inner\n' }, join(root, 'inner'));
  const library = makeRepository({ 'library.txt': 'library\n' }, join(root, 'library'));
  add(library, inner, 'inner');
  const repository = makeRepository({ 'a.txt': 'a\n' }, join(root, 'repository'));
  add(repository, library, 'deps/library');
  plainGit(repository, 'submodule', '--quiet', 'deinit', '--force', '--all');
  const workTree = join(root, 'worktree');
  plainGit(repository, 'worktree', 'add', '--quiet', '--detach', workTree);
  const commonDir = join(repository, '.git');
  return { repository, place: { gitDir: join(commonDir, 'worktrees/worktree'), workTree, commonDir } };
}

test("submodules are filled, those inside them too, and the user's repository is unchanged", async () => {
  const { repository, place } = makeWorktree();
  const before = fingerprint(repository);
  expect(await initSubmodules(allowing, place, { timeoutMs: 50_000 })).toEqual([]);
  expect(readFileSync(join(place.workTree, 'deps/library/library.txt'), 'utf8')).toBe('library\n');
  expect(readFileSync(join(place.workTree, 'deps/library/inner/inner.txt'), 'utf8')).toBe('inner\n');
  expect(plainGit(place.workTree, 'status', '--porcelain')).toBe('');
  expect(fingerprint(repository)).toEqual(before);
});

test("the user's protocol settings apply, and a submodule that stays empty gives a warning with the command to run", async () => {
  const { repository, place } = makeWorktree();
  const before = fingerprint(repository);
  expect(await initSubmodules(git, place, { timeoutMs: 50_000 })).toEqual([
    `submodules could not be fetched (still empty: deps/library); retry with: git -C ${place.workTree} submodule update --init --recursive`,
  ]);
  expect(fingerprint(repository)).toEqual(before);
});

test("the user's choice of active submodules is respected", async () => {
  const { repository, place } = makeWorktree();
  plainGit(repository, 'config', 'submodule.active', 'other');
  expect(await initSubmodules(git, place, { timeoutMs: 50_000 })).toEqual([]);
});

test('without .gitmodules git is not called', async () => {
  const refuse = () => Promise.reject(new Error('called'));
  const never: Git = { run: refuse, text: refuse, records: refuse, succeeds: refuse };
  const workTree = makeRepository();
  const place = { gitDir: join(workTree, '.git'), workTree, commonDir: join(workTree, '.git') };
  expect(await initSubmodules(never, place, { timeoutMs: 1000 })).toEqual([]);
});

test('cancelling gives no warning', async () => {
  const { place } = makeWorktree();
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(initSubmodules(allowing, place, { timeoutMs: 50_000, signal })).rejects.toThrow('enough');
});
