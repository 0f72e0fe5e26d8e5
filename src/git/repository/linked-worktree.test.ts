import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { git, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import {
  findWorktreeLock,
  findWorktreePresence,
  isOwnDirectory,
  registerWorktree,
  unregisterWorktree,
} from './linked-worktree.js';
import { writePrivateGit } from './private-git.js';

function scene() {
  const root = makeRepository({ 'a.txt': 'a\n' });
  const commonDir = join(root, '.git');
  const worktree = { commonDir, id: 'ws_test', path: join(tempDir(), 'desk') };
  return { root, commonDir, worktree, commit: git(root, 'rev-parse', 'HEAD') };
}

test('plain git sees a registered worktree as an ordinary one, and unregistering leaves no trace', async () => {
  const { root, commonDir, worktree, commit } = scene();
  const before = { fingerprint: fingerprint(root), admin: readdirSync(commonDir).sort() };
  await registerWorktree(worktree, commit);
  git(worktree.path, 'reset', '--quiet', '--hard');
  expect(git(worktree.path, 'status', '--porcelain')).toBe('');
  expect(git(root, 'worktree', 'list', '--porcelain')).toContain(
    `worktree ${worktree.path}\nHEAD ${commit}\ndetached`,
  );
  expect(git(root, 'fsck')).toBe('');
  git(root, 'worktree', 'prune');
  expect(await findWorktreePresence(worktree)).toBe('present');
  await unregisterWorktree(worktree);
  rmSync(worktree.path, { recursive: true });
  expect({ fingerprint: fingerprint(root), admin: readdirSync(commonDir).sort() }).toEqual(before);
});

test('existing files are moved in with their index, and git has nothing to do', async () => {
  const { root, commonDir, worktree, commit } = scene();
  const place = { gitDir: join(tempDir(), 'git'), workTree: join(tempDir(), 'tree') };
  await writePrivateGit({ ...place, commonDir, commit });
  git(place.workTree, 'reset', '--quiet', '--hard');
  const file = statSync(join(place.workTree, 'a.txt'));
  const indexFile = join(place.gitDir, 'index');
  const index = readFileSync(indexFile);
  await registerWorktree(worktree, commit, { tree: place.workTree, indexFile });
  expect(git(root, 'worktree', 'list', '--porcelain')).toContain(`worktree ${worktree.path}\nHEAD ${commit}`);
  // With the index unchanged and no content read: that makes it fast.
  expect(git(worktree.path, 'diff-files')).toBe('');
  expect(readFileSync(join(commonDir, 'worktrees', worktree.id, 'index'))).toEqual(index);
  expect(statSync(join(worktree.path, 'a.txt')).ino).toBe(file.ino);
  expect(existsSync(place.workTree)).toBe(false);
  expect(await findWorktreePresence(worktree)).toBe('present');
});

test('unregistering twice, or without registration, is fine', async () => {
  const { worktree } = scene();
  await unregisterWorktree(worktree);
  await unregisterWorktree(worktree);
});

test('a directory that exists is not taken over', async () => {
  const { worktree, commit, commonDir } = scene();
  mkdirSync(worktree.path);
  await expect(registerWorktree(worktree, commit)).rejects.toMatchObject({ code: 'PATH_EXISTS' });
  expect(existsSync(join(commonDir, 'worktrees'))).toBe(false);
});

test('sparse patterns of the main work tree are inherited', async () => {
  const root = makeRepository({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' });
  git(root, 'sparse-checkout', 'set', '--cone', 'in');
  const worktree = { commonDir: join(root, '.git'), id: 'ws_sparse', path: join(tempDir(), 'desk') };
  await registerWorktree(worktree, git(root, 'rev-parse', 'HEAD'));
  git(worktree.path, 'reset', '--quiet', '--hard');
  expect(readdirSync(worktree.path).sort()).toEqual(['.git', 'in']);
  expect(git(worktree.path, 'sparse-checkout', 'list')).toBe('in');
});

test('distinguishes what is at the path', async () => {
  const { root, worktree, commit } = scene();
  expect(await findWorktreePresence(worktree)).toBe('missing');
  await registerWorktree(worktree, commit);
  const replaceBy = async (make: () => void) => {
    rmSync(worktree.path, { recursive: true, force: true });
    make();
    return findWorktreePresence(worktree);
  };
  expect(await replaceBy(() => symlinkSync(root, worktree.path))).toEqual({ found: 'a symbolic link' });
  expect(await replaceBy(() => writeFileSync(worktree.path, ''))).toEqual({ found: 'a file' });
  expect(await replaceBy(() => mkdirSync(worktree.path))).toBe('missing');
  expect(await replaceBy(() => mkdirSync(join(worktree.path, 'mine'), { recursive: true }))).toEqual({
    found: 'a directory without its .git file',
  });
  expect(await replaceBy(() => makeRepository({ x: '' }, worktree.path))).toEqual({
    found: 'another repository',
  });
  const sibling = () => git(root, 'worktree', 'add', '--quiet', '--force', worktree.path, 'HEAD');
  expect(await replaceBy(sibling)).toEqual({ found: 'a worktree of another registration' });
});

test('git finds no repository in the files of a closed worktree, which is still registered', async () => {
  const { root, commonDir, commit, ...rest } = scene();
  const worktree = { ...rest.worktree, isClosed: true };
  const admin = join(commonDir, 'worktrees', worktree.id);
  await registerWorktree(worktree, commit);
  git(root, '--git-dir', admin, '--work-tree', worktree.path, 'reset', '--quiet', '--hard');
  expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n');
  // A bare repository around an empty `.git` directory would be used.
  git(worktree.path, 'init', '--quiet', '--bare', '--', '.');
  expect(() => git(worktree.path, 'rev-parse', '--git-dir')).toThrow('closed');
  git(root, 'worktree', 'prune');
  expect(git(root, 'worktree', 'list', '--porcelain')).not.toContain('prunable');
  expect(await findWorktreePresence(worktree)).toBe('present');
  expect(await isOwnDirectory(worktree)).toBe(true);
  git(root, 'worktree', 'repair');
  expect(await findWorktreePresence(worktree)).toBe('present');
});

test.each(['an empty directory', 'a repository', 'a link to elsewhere', 'a large file', 'a named pipe'])(
  'a closed worktree with %s instead of its link is reported replaced',
  async what => {
    const { commit, ...rest } = scene();
    const worktree = { ...rest.worktree, isClosed: true };
    const link = join(worktree.path, '.git');
    await registerWorktree(worktree, commit);
    rmSync(link);
    if (what === 'an empty directory') mkdirSync(link);
    if (what === 'a repository') makeRepository({}, worktree.path);
    if (what === 'a link to elsewhere') writeFileSync(link, 'gitdir: ./evil\n');
    if (what === 'a large file') writeFileSync(link, ' '.repeat(100_000));
    if (what === 'a named pipe') execFileSync('mkfifo', [link]);
    expect(await findWorktreePresence(worktree)).toEqual({ found: expect.any(String) });
    expect(await isOwnDirectory(worktree)).toBe(false);
  },
);

test('a git worktree lock is reported with its reason', async () => {
  const { root, worktree, commit } = scene();
  await registerWorktree(worktree, commit);
  expect(await findWorktreeLock(worktree)).toBeUndefined();
  git(root, 'worktree', 'lock', '--reason', 'on a stick', worktree.path);
  expect(await findWorktreeLock(worktree)).toBe('on a stick');
});
