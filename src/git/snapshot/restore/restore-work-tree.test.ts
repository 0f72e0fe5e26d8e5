import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addWorktree, captureRequest, placeOf } from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { writeBlobs, writeCommit, writeTree } from '../../objects/write-objects.js';
import { captureWorkTree } from '../capture/capture.js';
import { formatMeta, type SnapshotMeta } from '../snapshot-meta.js';
import { restoreWorkTree } from './restore-work-tree.js';

const NOTHING: SnapshotMeta = {
  head: { ref: null, branch: null, commit: null },
  branchTip: null,
  isPresent: true,
  modes: { file: 0o644, executable: 0o755, directory: 0o755, exceptions: [] },
  emptyDirectories: [],
  absent: [],
  largeFiles: [],
  absorbed: [],
  omitted: [],
};

/** A malicious snapshot. */
async function forgeSnapshot(
  store: string,
  files: Record<string, string>,
  meta: Partial<SnapshotMeta> = {},
): Promise<string> {
  const git = testGit();
  const contents = [
    formatMeta({ ...NOTHING, ...meta }),
    ...Object.values(files).map(text => Buffer.from(text)),
  ];
  const ids = await writeBlobs(git, store, tempDir(), contents);
  const added = ['meta.json', ...Object.keys(files)].map((path, at) => ({
    path,
    mode: '100644',
    id: ids[at] ?? '',
  }));
  const at = new Date(0);
  const empty = await writeTree(git, store, join(tempDir(), 'index'), { added: [] });
  const extras = await writeTree(git, store, join(tempDir(), 'index'), { added });
  const parent = await writeCommit(git, store, { tree: extras, parents: [], message: 'forged', at });
  return writeCommit(git, store, { tree: empty, parents: [parent], message: 'forged', at });
}

function makeFreshWorktree() {
  const repository = makeRepository();
  const work = join(tempDir(), 'work');
  git(repository, 'worktree', 'add', '--quiet', '--no-checkout', '--detach', work);
  return { work, place: placeOf(work) };
}

test.each([
  'ignored/%2e%2e/outside',
  'nested/a%2f..%2f..%2foutside',
  'ignored/%2egit',
  'nested/%2e/x',
  'ignored/%2egit/hooks/x',
])("a snapshot can't write to %s", async path => {
  const { work, place } = makeFreshWorktree();
  const link = readFileSync(join(work, '.git'), 'utf8');
  const commit = await forgeSnapshot(place.commonDir, { [path]: 'x' });
  await expect(restoreWorkTree(testGit(), place, { commit, temporaryRoot: tempDir() })).rejects.toMatchObject(
    {
      code: 'UNSAFE_PATH',
    },
  );
  expect(readFileSync(join(work, '.git'), 'utf8')).toBe(link);
  expect(readdirSync(join(work, '..'))).toEqual(['work']);
});

test("a snapshot can't set where the work tree or its repository is", async () => {
  const { place } = makeFreshWorktree();
  const read = () =>
    ['gitdir', 'commondir', 'HEAD'].map(name => readFileSync(join(place.gitDir, name), 'utf8'));
  const before = read();
  const forged = {
    'admin/gitdir': '/elsewhere\n',
    'admin/commondir': '/elsewhere\n',
    'admin/HEAD': 'ref: refs/x\n',
  };
  const commit = await forgeSnapshot(place.commonDir, forged);
  await restoreWorkTree(testGit(), place, { commit, temporaryRoot: tempDir() });
  expect(read()).toEqual(before);
});

test('nothing is written through an existing link', async () => {
  const { work, place } = makeFreshWorktree();
  const outside = tempDir();
  symlinkSync(outside, join(work, 'link'));
  const files = await forgeSnapshot(place.commonDir, { 'ignored/link/file': 'x' });
  const directories = await forgeSnapshot(place.commonDir, {}, { emptyDirectories: ['link/directory'] });
  for (const commit of [files, directories]) {
    await expect(
      restoreWorkTree(testGit(), place, { commit, temporaryRoot: tempDir() }),
    ).rejects.toMatchObject({
      code: 'UNSAFE_PATH',
    });
  }
  expect(readdirSync(outside)).toEqual([]);
});

test('state of the new work tree that is not in the snapshot is removed', async () => {
  const repository = makeRepository({ 'in/a': 'a\n', 'out/b': 'b\n' });
  const work = addWorktree(repository);
  const { commit } = await captureWorkTree(testGit(), placeOf(work), captureRequest());
  const fresh = addWorktree(repository, 'carrel/fresh');
  git(fresh, 'sparse-checkout', 'set', 'in');
  git(fresh, 'read-tree', '--empty');
  const place = placeOf(fresh);
  expect(existsSync(join(place.gitDir, 'info/sparse-checkout'))).toBe(true);
  for (const name of readdirSync(fresh).filter(name => name !== '.git'))
    git(fresh, 'clean', '--quiet', '-dfx', name);
  await restoreWorkTree(testGit(), place, { commit, temporaryRoot: tempDir() });
  expect(existsSync(join(place.gitDir, 'info/sparse-checkout'))).toBe(false);
  expect(git(fresh, 'status', '--porcelain')).toBe('');
  expect(readFileSync(join(fresh, 'out/b'), 'utf8')).toBe('b\n');
});

test('existing files are not overwritten', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n' });
  const { commit } = await captureWorkTree(testGit(), placeOf(addWorktree(repository)), captureRequest());
  const occupied = join(tempDir(), 'occupied');
  git(repository, 'worktree', 'add', '--quiet', '--no-checkout', '--detach', occupied);
  writeFiles(occupied, { 'a.txt': 'already there\n' });
  await expect(
    restoreWorkTree(testGit(), placeOf(occupied), { commit, temporaryRoot: tempDir() }),
  ).rejects.toThrow();
  expect(readFileSync(join(occupied, 'a.txt'), 'utf8')).toBe('already there\n');
});
