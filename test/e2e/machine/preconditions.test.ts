import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BINARY, type Carrel, createCarrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { describeRefusal } from '../../helpers/workspace/refusal.js';
import { isRoot, requirePart } from '../../parts/required-part.js';

// Everything that can be known to be wrong before a workspace is made: each with a code, a sentence and a way on.

/** What `carrel up` says; it must leave the repository as it was and make no folder. */
function refusedUp(carrel: Carrel, repository: string, ...args: string[]): string {
  const before = { repository: fingerprint(repository), refs: git(repository, 'for-each-ref') };
  const outcome = carrel.run(repository, 'up', ...args, '--json');
  expect({ repository: fingerprint(repository), refs: git(repository, 'for-each-ref') }).toEqual(before);
  return describeRefusal(outcome, { repository, home: carrel.home });
}

function configureUser(carrel: Carrel, yaml: string): void {
  writeFiles(carrel.home, { 'config/carrel/config.yaml': yaml });
}

test('git is missing', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const outcome = carrel.runWith({ PATH: tempDir() }, repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome)).toMatchInlineSnapshot(`
    "GIT_MISSING, exit status 4
    git was not found on PATH; expected git 2.38 or newer
    hint: install git, then check with: carrel doctor"
  `);
});

test('git is too old', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const old = tempDir();
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
for last; do :; done
if [ "$last" = version ]; then echo "git version 2.30.0"; else exec ${real} "$@"; fi
`;
  writeFileSync(join(old, 'git'), script, { mode: 0o755 });
  const outcome = carrel.runWith({ PATH: `${old}:${process.env.PATH}` }, repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome)).toMatchInlineSnapshot(`
    "GIT_TOO_OLD, exit status 4
    git 2.30.0 is too old; expected 2.38 or newer
    hint: install a newer git, then check with: carrel doctor"
  `);
});

test('not a repository', () => {
  const directory = tempDir();
  const outcome = createCarrel().run(directory, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { directory })).toMatchInlineSnapshot(`
    "NOT_A_REPOSITORY, exit status 2
    <directory> is not inside a git repository; expected one
    hint: change to a repository, choose one with -R PATH, or create one with: git init"
  `);
});

test('the directory that was named is not there', () => {
  const carrel = createCarrel();
  const outcome = carrel.run(carrel.home, 'up', 'a', '-R', 'nowhere', '--json');
  expect(describeRefusal(outcome, { home: carrel.home })).toMatchInlineSnapshot(`
    "NO_SUCH_DIRECTORY, exit status 5
    <home>/nowhere is not a directory; expected an existing directory
    hint: check the path"
  `);
});

test('an empty repository', () => {
  const directory = tempDir();
  git(directory, 'init', '--quiet', '--initial-branch=main');
  const outcome = createCarrel().run(directory, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { directory })).toMatchInlineSnapshot(`
    "EMPTY_REPOSITORY, exit status 2
    the repository <directory> has no commits; a workspace needs one to start from
    hint: create a first commit with: git commit --allow-empty -m "first""
  `);
});

test('an unborn branch next to others', () => {
  const repository = makeRepository();
  git(repository, 'checkout', '--quiet', '--orphan', 'fresh');
  const carrel = createCarrel();
  expect(refusedUp(carrel, repository, 'a')).toMatchInlineSnapshot(`
    "UNBORN_BRANCH, exit status 2
    the branch fresh of <repository> has no commits; a workspace needs one to start from
    hint: commit something, or start from another branch with --base BRANCH"
  `);
  expect(carrel.json(repository, 'up', 'a', '--base', 'main')).toMatchObject({ base: { ref: 'main' } });
});

test('a bare repository', () => {
  const directory = tempDir();
  git(directory, 'init', '--quiet', '--bare');
  const outcome = createCarrel().run(directory, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { directory })).toMatchInlineSnapshot(`
    "BARE_REPOSITORY, exit status 2
    <directory> is a bare repository; expected one with a working tree
    hint: clone it first with: git clone <directory>"
  `);
});

test('inside a linked worktree', () => {
  const repository = makeRepository();
  const worktree = join(tempDir(), 'linked');
  git(repository, 'worktree', 'add', '--quiet', worktree, '-b', 'side');
  const outcome = createCarrel().run(worktree, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { repository, worktree })).toMatchInlineSnapshot(`
    "INSIDE_WORKTREE, exit status 2
    <worktree> is a linked worktree of <repository>; workspaces can't be created from inside one
    hint: choose the repository with: -R <repository>"
  `);
});

test('inside a workspace, which is a linked worktree too', () => {
  const repository = makeRepository();
  const carrel = createCarrel();
  const path = carrel.ok(repository, 'up', 'a');
  const outcome = carrel.run(path, 'up', 'b', '--json');
  expect(describeRefusal(outcome, { repository, home: carrel.home })).toMatchInlineSnapshot(`
    "INSIDE_WORKTREE, exit status 2
    <home>/cache/worktrees/repo/a is a linked worktree of <repository>; workspaces can't be created from inside one
    hint: choose the repository with: -R <repository>"
  `);
  expect(carrel.ok(path, 'up', 'b', '-R', repository)).toMatch(/\/b$/);
});

test('a submodule is a repository and no worktree', () => {
  const inner = makeRepository({ 'inner.txt': 'inner\n' });
  const outer = makeRepository();
  git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
  git(outer, 'commit', '--quiet', '-m', 'with a submodule');
  const submodule = join(outer, 'sub');
  const workspace = createCarrel().json(submodule, 'up', 'a');
  expect(workspace).toMatchObject({ repository: submodule, branch: 'carrel/a' });
  expect(git(workspace.path as string, 'show', 'HEAD:inner.txt')).toBe('inner');
});

test('a detached HEAD is as good as a branch', () => {
  const repository = makeRepository();
  git(repository, 'checkout', '--quiet', '--detach');
  const workspace = createCarrel().json(repository, 'up', 'a');
  expect(workspace.base).toEqual({ ref: null, commit: git(repository, 'rev-parse', 'HEAD') });
});

test('an invalid name', () => {
  expect(refusedUp(createCarrel(), makeRepository(), '../x')).toMatchInlineSnapshot(`
    "INVALID_NAME, exit status 2
    "../x" is not a valid workspace name: it does not start with a letter or digit
    hint: use 1 to 100 letters, digits, ".", "_", "-" or "/", starting with a letter or digit"
  `);
});

test('an invalid branch', () => {
  expect(refusedUp(createCarrel(), makeRepository(), 'a', '--branch', 'a..b')).toMatchInlineSnapshot(`
    "INVALID_BRANCH, exit status 2
    "a..b" is not a branch name that git accepts
    hint: choose another with --branch; see: git help check-ref-format"
  `);
});

test('the branch exists', () => {
  const repository = makeRepository();
  git(repository, 'branch', 'carrel/a');
  expect(refusedUp(createCarrel(), repository, 'a')).toMatchInlineSnapshot(`
    "BRANCH_EXISTS, exit status 2
    the branch carrel/a already exists; expected a new name
    hint: open it with --branch carrel/a, or choose another with --branch NAME"
  `);
});

test('the branch is checked out elsewhere', () => {
  const repository = makeRepository();
  expect(refusedUp(createCarrel(), repository, 'a', '--branch', 'main')).toMatchInlineSnapshot(`
    "BRANCH_CHECKED_OUT, exit status 3
    the branch main is checked out at <repository>
    hint: work there, or choose another with --branch NAME"
  `);
});

test('an existing branch name conflicts with a ref folder', () => {
  const repository = makeRepository();
  git(repository, 'branch', 'carrel');
  expect(refusedUp(createCarrel(), repository, 'x')).toMatchInlineSnapshot(`
    "BRANCH_IN_THE_WAY, exit status 2
    the branch carrel/x conflicts with the branch carrel; git can't have both
    hint: choose another with --branch NAME, or another prefix with workspace.branchPrefix"
  `);
});

test('a branch conflicts with a branch whose name is a prefix', () => {
  const repository = makeRepository();
  git(repository, 'branch', 'topic/one');
  expect(refusedUp(createCarrel(), repository, 'x', '--branch', 'topic')).toMatchInlineSnapshot(`
    "BRANCH_IN_THE_WAY, exit status 2
    the branch topic conflicts with the branch topic/one; git can't have both
    hint: choose another with --branch NAME, or another prefix with workspace.branchPrefix"
  `);
});

test('the workspace exists', () => {
  const repository = makeRepository();
  const carrel = createCarrel();
  carrel.ok(repository, 'up', 'a');
  expect(refusedUp(carrel, repository, 'a')).toMatchInlineSnapshot(`
    "WORKSPACE_EXISTS, exit status 2
    the workspace a already exists at <home>/cache/worktrees/repo/a
    hint: use it with: carrel path a — or choose another name"
  `);
  expect(refusedUp(carrel, repository, 'a', '--branch', 'other')).toContain('WORKSPACE_EXISTS');
});

test("another file is in the place of the repository's workspaces", () => {
  const repository = makeRepository();
  const carrel = createCarrel();
  writeFiles(carrel.cacheDir, { 'worktrees/repo': 'a file\n' });
  expect(refusedUp(carrel, repository, 'a')).toMatchInlineSnapshot(`
    "PATH_EXISTS, exit status 3
    <home>/cache/worktrees/repo already exists and is not a workspace of this repository
    hint: choose another name, or move the directory away"
  `);
});

test('the way to the workspaces leads through a symbolic link', () => {
  const repository = makeRepository();
  const carrel = createCarrel();
  mkdirSync(join(carrel.cacheDir, 'worktrees'), { recursive: true });
  symlinkSync(tempDir(), join(carrel.cacheDir, 'worktrees/repo'));
  expect(refusedUp(carrel, repository, 'a')).toMatchInlineSnapshot(`
    "UNSAFE_PATH, exit status 3
    <home>/cache/worktrees/repo leads outside <home>/cache/worktrees; refused
    hint: check the path for symbolic links"
  `);
});

test('a folder with the same name is left alone, and another name is used', () => {
  const repository = makeRepository();
  const carrel = createCarrel();
  writeFiles(carrel.cacheDir, { 'worktrees/repo/a/precious.txt': 'mine\n' });
  expect(carrel.ok(repository, 'up', 'a')).toMatch(/\/worktrees\/repo\/a-[0-9a-f]{6}$/);
  expect(readdirSync(join(carrel.cacheDir, 'worktrees/repo/a'))).toEqual(['precious.txt']);
});

test('the limit on the number of workspaces', () => {
  const repository = makeRepository();
  const carrel = createCarrel();
  configureUser(carrel, 'workspace:\n  limits:\n    count: 1\n');
  carrel.ok(repository, 'up', 'a');
  expect(refusedUp(carrel, repository, 'b').replace(/[\d.]+ KB/, '<size>')).toMatchInlineSnapshot(`
    "LIMIT_REACHED, exit status 3
    the number of workspaces would be 2; allowed: 1; gc could free 1 item, <size>
    hint: see what can be removed with: carrel gc --older-than 0s"
  `);
});

test('the limit on the bytes of all workspaces', () => {
  const repository = makeRepository();
  const carrel = createCarrel();
  configureUser(carrel, 'workspace:\n  limits:\n    bytes: 1k\n');
  carrel.ok(repository, 'up', 'a');
  expect(refusedUp(carrel, repository, 'b').replaceAll(/[\d.]+ KB/g, '<size>')).toMatchInlineSnapshot(`
    "LIMIT_REACHED, exit status 3
    the size of all workspaces would be more than <size>; allowed: <size>; gc could free 1 item, <size>
    hint: see what can be removed with: carrel gc --older-than 0s"
  `);
});

test('the disk space that has to stay free', () => {
  const carrel = createCarrel();
  configureUser(carrel, 'workspace:\n  limits:\n    freeDisk: 8000t\n');
  const refusal = refusedUp(carrel, makeRepository(), 'a').replace(/less than \d+ \w+/, 'less than <size>');
  expect(refusal).toMatchInlineSnapshot(`
    "LIMIT_REACHED, exit status 3
    the free disk space at <home>/cache/worktrees would be less than <size>; allowed: no less than 8000 TB; gc could free 0 items, 0 B
    hint: see what can be removed with: carrel gc --older-than 0s"
  `);
});

test('an unknown base', () => {
  expect(refusedUp(createCarrel(), makeRepository(), 'a', '--base', 'nope')).toMatchInlineSnapshot(`
    "UNKNOWN_BASE, exit status 2
    "nope" is not a commit of <repository>; expected a branch, tag or commit
    hint: list the branches with: git branch --all"
  `);
});

test('an unknown template', () => {
  expect(refusedUp(createCarrel(), makeRepository(), 'a', '--template', 'clade')).toMatchInlineSnapshot(`
    "UNKNOWN_TEMPLATE, exit status 5
    there is no template "clade"; expected one of claude, codex, gemini, shell
    hint: did you mean --template claude?"
  `);
});

test('a repository that another user owns', context => {
  requirePart(context, isRoot, 'root');
  const repository = makeRepository();
  giveAway(repository, 65_534);
  const outcome = createCarrel().run(repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { repository })).toMatchInlineSnapshot(`
    "UNSAFE_REPOSITORY, exit status 2
    git does not trust <repository> because another user owns it
    hint: if you trust it: git config --global --add safe.directory <repository>"
  `);
});

function giveAway(path: string, uid: number): void {
  chownSync(path, uid, uid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveAway(join(path, name), uid);
}

test('a repository with an unsupported ref format', () => {
  const repository = makeRepository();
  mkdirSync(join(repository, '.git/reftable'));
  expect(refusedUp(createCarrel(), repository, 'a')).toMatchInlineSnapshot(`
    "UNSUPPORTED_REPOSITORY, exit status 2
    <repository> uses the reftable ref format, which Carrel does not support
    hint: convert it with: git refs migrate --ref-format=files"
  `);
});

test('too few open files for the database are reported', () => {
  const [carrel, repository] = [createCarrel(), makeRepository()];
  carrel.ok(repository, 'ls');
  // Node itself needs about twenty.
  for (const limit of [28, 34]) {
    const script = `ulimit -n ${limit}; exec "$@"`;
    const { stdout } = spawnSync('sh', ['-c', script, 'sh', process.execPath, BINARY, 'ls', '--json'], {
      cwd: repository,
      env: carrel.env,
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout), `${limit}`).toMatchObject({ error: { code: 'TOO_MANY_OPEN_FILES' } });
  }
});
