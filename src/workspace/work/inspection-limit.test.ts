import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import { withInspectionLimit } from './inspection-limit.js';

const makePlace = (isForeign: boolean): WorkTreePlace => ({
  commonDir: '/nowhere',
  gitDir: tempDir(),
  workTree: '/tree',
  isForeign,
});

const countTwo = async ({ meter }: WorkTreePlace) => meter?.count(2);

test('an aborted inspection is remembered until one succeeds', async () => {
  const place = makePlace(true);
  const given = withInspectionLimit(place, countTwo, { budget: { entries: 1, milliseconds: 60_000 } });
  await expect(given).rejects.toMatchObject({ code: 'LOOK_TOO_LARGE', details: { path: '/tree' } });
  expect(readdirSync(place.gitDir)).toEqual(['carrel-look-given-up']);
  await withInspectionLimit(place, countTwo);
  expect(readdirSync(place.gitDir)).toEqual([]);
});

test('the user’s own files are inspected without a limit', async () => {
  const place = makePlace(false);
  expect(
    await withInspectionLimit(place, async ({ meter }) => meter, { budget: { entries: 0, milliseconds: 0 } }),
  ).toBe(undefined);
});

test('with a temporary git directory it is remembered elsewhere', async () => {
  const place = makePlace(true);
  const markDir = tempDir();
  const budget = { entries: 1, milliseconds: 60_000 };
  await withInspectionLimit(place, countTwo, { budget, markDir }).catch(() => undefined);
  expect(readdirSync(place.gitDir)).toEqual([]);
  expect(readdirSync(markDir)).toEqual(['carrel-look-given-up']);
});
