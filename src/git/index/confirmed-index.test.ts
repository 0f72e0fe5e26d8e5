import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addWorktree, placeOf } from '../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { editUnseen } from '../../../test/helpers/git/unseen-edit.js';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { readOwnStatus, readStatus } from '../work-tree/work-tree-status.js';
import { confirmIfRacy } from './confirmed-index.js';
import type { DatedIndex } from './git-index-file.js';
import { loadAnyIndex } from './unseen-edits.js';

function makeFresh() {
  const work = addWorktree(makeRepository({ 'a.txt': 'abcd\n', 'b.txt': 'b\n' }));
  const place = { ...placeOf(work), indexFile: join(placeOf(work).gitDir, 'index') };
  const load = () => loadAnyIndex(place.indexFile) as DatedIndex;
  return { work, place, load, changedAt: lstatSync(join(work, 'b.txt')).ctimeMs };
}

test('the index of a new checkout gets the time of the proof once, and keeps its content', async () => {
  const { work, place, load, changedAt } = makeFresh();
  const bytes = readFileSync(place.indexFile);
  expect(await confirmIfRacy(place.indexFile, load(), work, changedAt + 2000)).toBe(true);
  expect(statSync(place.indexFile).mtimeMs).toBeCloseTo(changedAt + 2000, 0);
  expect(readFileSync(place.indexFile)).toEqual(bytes);
  expect(await confirmIfRacy(place.indexFile, load(), work, changedAt + 4000)).toBe(false);
  expect(git(work, 'status', '--porcelain')).toBe('');
  writeFiles(work, { 'a.txt': 'edited\n' });
  expect((await readStatus(testGit(), place)).changes).toMatchObject({ unstaged: 1 });
});

test('nothing is written in the second of the checkout', async () => {
  const { work, place, load, changedAt } = makeFresh();
  const { mtimeNs } = statSync(place.indexFile, { bigint: true });
  expect(await confirmIfRacy(place.indexFile, load(), work, changedAt)).toBe(false);
  expect(statSync(place.indexFile, { bigint: true }).mtimeNs).toBe(mtimeNs);
});

test('an edit that git would miss is never confirmed', async () => {
  const { work, place, load, changedAt } = makeFresh();
  editUnseen(work, 'a.txt', 'ABCD\n');
  expect(await confirmIfRacy(place.indexFile, load(), work, changedAt + 60_000)).toBe(false);
  expect((await readOwnStatus(testGit(), place)).changes).toMatchObject({ unstaged: 1 });
});

test('an index that git has written since is left alone', async () => {
  const { work, place, load, changedAt } = makeFresh();
  const loaded = load();
  writeFiles(work, { 'c.txt': 'c\n' });
  git(work, 'add', 'c.txt');
  const { mtimeNs } = statSync(place.indexFile, { bigint: true });
  expect(await confirmIfRacy(place.indexFile, loaded, work, changedAt + 2000)).toBe(false);
  expect(statSync(place.indexFile, { bigint: true }).mtimeNs).toBe(mtimeNs);
});
