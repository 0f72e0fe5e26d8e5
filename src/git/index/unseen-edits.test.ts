import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addWorktree, placeOf } from '../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { editUnseen } from '../../../test/helpers/git/unseen-edit.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { checkoutState, findBlockers, moveCheckout } from '../checkout/checkout-update.js';
import { writeWorkTreeDiff } from '../diff/work-tree-diff.js';
import { captureWorkTree } from '../snapshot/capture/capture.js';
import { readWorkTreeState } from '../work-tree/work-tree-state.js';
import { readStatus } from '../work-tree/work-tree-status.js';
import { findUnseenEdits } from './unseen-edits.js';

const FILES = { 'a.txt': 'aaa\n', 'dir/b.txt': 'b\n' };
const limits = { ignoredBytes: 1 << 20, regenerable: [] };

function makeEdited(...index: string[]) {
  const work = addWorktree(makeRepository(FILES));
  if (index.length > 0) git(work, 'update-index', ...index);
  editUnseen(work, 'a.txt', 'AAA\n');
  expect(git(work, 'status', '--porcelain')).toBe('');
  return { work, place: placeOf(work) };
}

test.each([
  ['an index', []],
  ['an index of version 4', ['--index-version=4']],
  ['a split index', ['--split-index']],
])('an edit that git misses is found with %s', async (_, index) => {
  const { place } = makeEdited(...index);
  expect(await findUnseenEdits(testGit(), place)).toEqual(['a.txt']);
  expect((await readStatus(testGit(), place)).changes).toMatchObject({ staged: 0, unstaged: 1 });
});

test('status, diff and capture show it as a change', async () => {
  const { work, place } = makeEdited();
  const temporaryRoot = tempDir();
  const state = await readWorkTreeState(testGit(), place, { limits, included: [], temporaryRoot });
  expect(state.modified).toEqual(['a.txt']);
  const chunks: Buffer[] = [];
  const against = git(work, 'rev-parse', 'HEAD');
  await writeWorkTreeDiff(testGit(), place, { against, format: 'patch', temporaryRoot }, chunk => {
    chunks.push(chunk);
  });
  expect(Buffer.concat(chunks).toString()).toContain('+AAA');
  const request = { ref: 'refs/carrel/test', message: null, limits, now: new Date(), temporaryRoot };
  const { commit } = await captureWorkTree(testGit(), place, request);
  expect(git(work, 'show', `${commit}:a.txt`)).toBe('AAA');
});

test('an assume-unchanged one too', async () => {
  const { work, place } = makeEdited();
  git(work, 'update-index', '--assume-unchanged', 'a.txt');
  const state = await readWorkTreeState(testGit(), place, { limits, included: [], temporaryRoot: tempDir() });
  expect(state.hidden).toEqual(['a.txt']);
});

test('a checkout with such an edit is not clean, and is not moved', async () => {
  const { work, place } = makeEdited();
  const from = git(work, 'rev-parse', 'HEAD');
  const to = commitElsewhere(work);
  const move = { from, to };
  expect(await checkoutState(testGit(), place, from)).toEqual({ clean: false, dirty: ['a.txt'] });
  await expect(findBlockers(testGit(), place, move, tempDir())).rejects.toThrow('read-tree');
  await expect(moveCheckout(testGit(), place, move)).rejects.toThrow('read-tree');
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('AAA\n');
});

function commitElsewhere(work: string): string {
  const other = addWorktree(work, 'other');
  return commitFiles(other, { 'a.txt': 'other\n' });
}

test('files that are equal, by bytes or after cleaning, are not edits', async () => {
  const repository = makeRepository({ ...FILES, '.gitattributes': '*.txt text eol=crlf\n' });
  const work = addWorktree(repository);
  const content = readFileSync(join(work, 'a.txt'), 'utf8');
  expect(content).toBe('aaa\r\n');
  editUnseen(work, 'a.txt', content);
  expect(await findUnseenEdits(testGit(), placeOf(work))).toEqual([]);
  writeFiles(work, { 'dir/b.txt': 'edited\n' });
  chmodSync(join(work, 'dir/b.txt'), 0o755);
  writeFileSync(join(work, 'new.txt'), '');
  expect(await findUnseenEdits(testGit(), placeOf(work))).toEqual([]);
});
