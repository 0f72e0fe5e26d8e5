import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCarrel } from '../../helpers/carrel.js';
import { fingerprint, hashTree } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { tempDir } from '../../helpers/temp.js';
import { describeRefusal } from '../../helpers/workspace/refusal.js';

// The options for the base of a workspace and its isolation mode.

test('without a name one is made up', () => {
  const { carrel, repository } = { carrel: createCarrel(), repository: makeRepository() };
  const { name, branch } = carrel.json<{ name: string; branch: string }>(repository, 'up');
  expect(name).toMatch(/^[a-z]+-[a-z]+-\d{4}$/);
  expect(branch).toBe(`carrel/${name}`);
  expect(carrel.ok(repository, 'path', name)).toMatch(new RegExp(`/${name}$`));
});

test('--workspace takes a directory as it is, dirty or not; down only forgets it', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  writeFiles(repository, { 'README.md': 'changed\n', 'new.txt': 'new\n' });
  const before = fingerprint(repository);
  const workspace = carrel.json(tempDir(), 'up', 'here', '--workspace', repository);
  expect(workspace).toMatchObject({
    backend: 'direct',
    path: repository,
    branch: null,
    isolation: { requested: 'shared', effective: 'shared', reason: null },
  });
  expect(carrel.json(repository, 'ls')).toMatchObject([
    { name: 'here', changes: { unstaged: 1, untracked: 1 } },
  ]);
  expect(carrel.ok(repository, 'diff', 'here', '--name-only')).toBe('README.md\nnew.txt');
  expect(carrel.ok(repository, 'exec', 'here', '--', 'pwd')).toBe(repository);
  const { stderr, status } = carrel.run(repository, 'down', 'here');
  expect({ stderr, status }).toEqual({ stderr: 'forgot here; its files are kept\n', status: 0 });
  expect(fingerprint(repository)).toEqual(before);
  expect(carrel.json(repository, 'ls')).toEqual([]);
});

test('--workspace takes a directory without version control too', () => {
  const carrel = createCarrel();
  const directory = tempDir();
  writeFiles(directory, { 'file.txt': 'x\n' });
  const before = hashTree(directory);
  expect(carrel.ok(directory, 'up', 'plain', '--workspace', '.')).toBe(directory);
  expect(carrel.error(directory, 'up', 'again', '--workspace', 'nowhere')).toMatchObject({ status: 5 });
  expect(carrel.run(directory, 'down', 'plain').status).toBe(0);
  expect(hashTree(directory)).toBe(before);
});

test.each(['--repo', '--git-worktree'])('%s makes a worktree of the repository that is named', option => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const workspace = carrel.json<{ path: string }>(tempDir(), 'up', 'a', option, repository);
  expect(workspace).toMatchObject({ backend: 'git', repository, branch: 'carrel/a' });
  expect(git(workspace.path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('carrel/a');
  const outcome = carrel.run(tempDir(), 'up', 'b', option, tempDir(), '--json');
  expect(describeRefusal(outcome)).toContain('NOT_A_REPOSITORY, exit status 2');
});

test('--copy makes a plain copy: its changes are shown, kept and brought back', () => {
  const carrel = createCarrel();
  const directory = tempDir();
  writeFiles(directory, { 'file.txt': 'one\n', 'deep/er.txt': 'deep\n' });
  const before = hashTree(directory);
  const workspace = carrel.json<{ path: string }>(directory, 'up', 'a', '--copy', directory);
  expect(workspace).toMatchObject({ backend: 'directory', branch: null, base: { ref: null, commit: null } });
  const { path } = workspace;
  expect(existsSync(join(path, '.git'))).toBe(false);
  expect(carrel.json(directory, 'show', 'a')).toMatchObject({ risks: [] });
  writeFiles(path, { 'file.txt': 'two\n', 'new.txt': 'new\n' });
  expect(carrel.ok(directory, 'diff', 'a', '--name-only')).toBe('file.txt\nnew.txt');
  expect(carrel.error(directory, 'down', 'a')).toMatchObject({ status: 3, code: 'REMOVAL_REFUSED' });
  carrel.ok(directory, 'down', 'a', '--discard-changes');
  expect(existsSync(path)).toBe(false);
  const restored = carrel.ok(directory, 'restore', 'a');
  expect(readFileSync(join(restored, 'file.txt'), 'utf8')).toBe('two\n');
  expect(readFileSync(join(restored, 'new.txt'), 'utf8')).toBe('new\n');
  expect(carrel.ok(directory, 'diff', 'a', '--name-only')).toBe('file.txt\nnew.txt');
  expect(hashTree(directory)).toBe(before);
});

test('a plain copy can be compared and kept, and has no commits to land', () => {
  const carrel = createCarrel();
  const directory = tempDir();
  writeFiles(directory, { 'file.txt': 'one\n' });
  const path = carrel.ok(directory, 'up', 'a', '--copy', '.');
  writeFiles(path, { 'file.txt': 'two\n' });
  const patch = `${carrel.ok(directory, 'diff', 'a')}\n`;
  expect(patch).toContain('-one\n+two\n');
  expect(carrel.error(directory, 'land', 'a')).toMatchObject({
    status: 2,
    code: 'NOT_SUPPORTED',
    message: "a directory workspace can't be landed",
  });
  expect(carrel.error(directory, 'up', 'b', '--copy', '.', '--branch', 'x')).toMatchObject({
    code: 'NOT_SUPPORTED',
  });
  expect(carrel.error(directory, 'up', 'b', '--copy', '.', '--base', 'main')).toMatchObject({ status: 2 });
});

thoroughTest(
  'a copy of a repository’s directory is one of its workspaces, and no second may have its name',
  () => {
    const carrel = createCarrel();
    const repository = makeRepository();
    const path = carrel.ok(repository, 'up', 'a', '--copy', '.');
    expect(existsSync(join(path, '.git'))).toBe(false);
    expect(carrel.json(repository, 'ls')).toMatchObject([{ name: 'a', backend: 'directory' }]);
    expect(carrel.error(repository, 'up', 'a')).toMatchObject({ code: 'WORKSPACE_EXISTS' });
    carrel.ok(repository, 'down', 'a');
    expect(readdirSync(carrel.cacheDir)).toEqual([]);
  },
);

test('two forms at once are refused', () => {
  const outcome = createCarrel().run(tempDir(), 'up', 'a', '--copy', '.', '--repo', '.', '--json');
  expect(describeRefusal(outcome)).toMatchInlineSnapshot(`
    "CONFLICTING_OPTIONS, exit status 2
    --repo, --copy can't be combined; expected only one of them
    hint: keep one and leave out the others"
  `);
});

test('where the user allows less, isolation full falls back with a warning, which stays on record and is shown', () => {
  const carrel = createCarrel(tempDir(), WITHOUT_RUNTIMES());
  const repository = makeRepository();
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'isolation:\n  onUnavailable: degrade\n' });
  const { stdout, stderr } = carrel.run(repository, 'up', 'a', '--isolation', 'full', '--json');
  const reason = 'bwrap was not found on PATH; podman is not installed; docker is not installed';
  expect(stderr).toBe(`warning: isolation full was requested, using worktree instead: ${reason}\n`);
  expect(JSON.parse(stdout)).toMatchObject({
    backend: 'git',
    isolation: { requested: 'full', effective: 'worktree', reason },
    warnings: [`isolation full was requested, using worktree instead: ${reason}`],
  });
  expect(carrel.json(repository, 'ls')).toMatchObject([
    { isolation: { requested: 'full', effective: 'worktree' } },
  ]);
  expect(carrel.ok(repository, 'ls')).toContain('full→worktree');
  expect(carrel.ok(repository, 'show', 'a')).toContain(reason);
});

/** A machine that has nothing to make a sandbox with. */
const WITHOUT_RUNTIMES = () => ({ PATH: pathWithout('bwrap', 'podman', 'docker') });

test('less than what the user chose is refused, by flag or file, and so is it with onUnavailable: fail', () => {
  const carrel = createCarrel(tempDir(), WITHOUT_RUNTIMES());
  const repository = makeRepository();
  const outcome = carrel.run(repository, 'up', 'a', '--isolation', 'full', '--json');
  expect(describeRefusal(outcome)).toMatchInlineSnapshot(`
    "ISOLATION_UNAVAILABLE, exit status 4
    isolation full is not available: bwrap was not found on PATH; podman is not installed; docker is not installed
    hint: see what works with: carrel doctor — or choose --isolation worktree, or allow a weaker mode: leave out --strict and set isolation.onUnavailable: degrade in your user configuration"
  `);
  const refusal = { status: 4, code: 'ISOLATION_UNAVAILABLE' };
  expect(carrel.error(repository, 'up', 'a', '--isolation', 'full', '--strict')).toMatchObject(refusal);
  // What the repository alone asks for may fall back, unless it says that it may not.
  writeFiles(repository, { '.carrel/config.yaml': 'isolation:\n  default: full\n  onUnavailable: fail\n' });
  expect(carrel.error(repository, 'up', 'a')).toMatchObject(refusal);
  writeFiles(repository, {
    '.carrel/config.yaml': 'isolation:\n  default: full\n  onUnavailable: degrade\n',
  });
  expect(carrel.json(repository, 'up', 'weak')).toMatchObject({ isolation: { effective: 'worktree' } });
  // Its word is not the user's.
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'isolation:\n  default: full\n' });
  expect(carrel.error(repository, 'up', 'a')).toMatchObject(refusal);
  expect(carrel.run(repository, 'up', 'a', '--isolation', 'worktree', '--strict').status).toBe(0);
});

test('a directory that is used as it is falls back by the same rule, and does not pass for a sandbox', () => {
  const carrel = createCarrel(tempDir(), WITHOUT_RUNTIMES());
  const directory = tempDir();
  const chosen = carrel.error(directory, 'up', 'a', '--workspace', '.', '--isolation', 'full');
  expect(chosen).toMatchObject({ status: 4, code: 'ISOLATION_UNAVAILABLE' });
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'isolation:\n  onUnavailable: degrade\n' });
  const { stdout } = carrel.run(directory, 'up', 'a', '--workspace', '.', '--isolation', 'full', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    isolation: {
      requested: 'full',
      effective: 'shared',
      reason: expect.stringContaining('bwrap was not found'),
    },
    warnings: [expect.stringContaining('isolation full was requested, using shared instead')],
  });
  const strict = carrel.error(directory, 'up', 'b', '--workspace', '.', '--isolation', 'full', '--strict');
  expect(strict).toMatchObject({ status: 4, code: 'ISOLATION_UNAVAILABLE' });
  // What would not be safe in a sandbox falls back by that rule too.
  const home = carrel.json(directory, 'up', 'home', '--workspace', carrel.home, '--isolation', 'full');
  expect(home).toMatchObject({
    isolation: { effective: 'shared', reason: expect.stringContaining('is your home directory') },
  });
});

test('isolation shared is the repository itself, and is never removed', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const before = fingerprint(repository);
  expect(carrel.ok(repository, 'up', 'a', '--isolation', 'shared')).toBe(repository);
  expect(carrel.error(repository, 'up', 'b', '--isolation', 'shared', '--branch', 'x')).toMatchObject({
    code: 'NOT_SUPPORTED',
    message: "a direct workspace can't have its own branch",
  });
  expect(carrel.run(repository, 'down', 'a', '--discard-changes').status).toBe(0);
  expect(fingerprint(repository)).toEqual(before);
});

test('a base is taken by name and kept as the commit that it was', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const first = git(repository, 'rev-parse', 'HEAD');
  git(repository, 'tag', '-a', 'v1', '-m', 'first');
  git(repository, 'commit', '--quiet', '--allow-empty', '-m', 'second');
  expect(carrel.json(repository, 'up', 'a', '--base', 'v1')).toMatchObject({
    base: { ref: 'v1', commit: first },
  });
  expect(carrel.json(repository, 'up', 'b', '--base', 'main~1')).toMatchObject({ base: { commit: first } });
  expect(carrel.json(repository, 'up', 'c', '--branch', 'topic/c')).toMatchObject({
    branch: 'topic/c',
    base: { ref: 'main', commit: git(repository, 'rev-parse', 'main') },
  });
});

thoroughTest('a workspace of a detached HEAD lands on the given branch', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  git(repository, 'checkout', '--quiet', '--detach');
  const path = carrel.ok(repository, 'up', 'a');
  writeFiles(path, { 'new.txt': 'new\n' });
  const outcome = carrel.run(repository, 'land', 'a', '-m', 'land', '--json');
  expect(describeRefusal(outcome)).toMatchInlineSnapshot(`
    "INVALID_INPUT, exit status 2
    the branch to land on is unknown, because the workspace was created from a detached HEAD; expected a branch named with --into BRANCH
    hint: see \`carrel --help\` or \`carrel COMMAND --help\`"
  `);
  carrel.ok(repository, 'land', 'a', '-m', 'land', '--into', 'main');
  expect(git(repository, 'show', 'main:new.txt')).toBe('new');
});
