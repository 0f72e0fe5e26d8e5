import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, writeFiles } from '../../test/helpers/repository.js';
import { testGit } from '../../test/helpers/test-git.js';
import { makeTwoFaces, type TwoFaces } from '../../test/helpers/two-faces.js';
import { followOutside } from './outside-index.js';

async function takeAndFollow(faces: TwoFaces): Promise<string[]> {
  const taken = await faces.takeBack();
  if (taken.outcome !== 'taken') throw new Error(`it was ${taken.outcome}`);
  const place = { commonDir: faces.commonDir, gitDir: faces.adminDir, workTree: faces.path };
  return followOutside({ git: testGit(), place, from: taken.from });
}

const status = (faces: TwoFaces): string => git(faces.path, 'status', '--porcelain');

test('after a take-back the worktree outside is clean, and what is not committed shows as that', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside('echo a >a; git add a; git rm -q README.md; git commit -qm x; echo b >b; echo more >>a');
  await faces.takeBack();
  expect(status(faces), 'before it followed').not.toBe(' M a\n?? b');
  git(faces.repository, 'update-ref', '-d', 'refs/carrel/workspaces/ws_twofaces00000000/taken');
  await faces.inside('git commit -q --allow-empty -m y');
  expect(await takeAndFollow(faces)).toEqual([]);
  expect(status(faces)).toBe(' M a\n?? b');
});

test('an edit in the second of the last look is still seen', async context => {
  const faces = await makeTwoFaces(context);
  writeFiles(faces.path, { 'README.md': 'jello\n' });
  await faces.inside('echo a >a; git add a; git commit -qm x');
  expect(await takeAndFollow(faces)).toEqual([]);
  expect(status(faces)).toBe(' M README.md');
});

test('what the user has staged outside stays staged', async context => {
  const faces = await makeTwoFaces(context);
  writeFiles(faces.path, { 'mine.txt': 'mine\n' });
  git(faces.path, 'add', 'mine.txt');
  await faces.inside('echo a >a; git add a; git commit -qm x');
  expect(await takeAndFollow(faces)).toEqual([]);
  expect(status(faces)).toBe('A  mine.txt');
});

test('what is staged against the new commit leaves the index as it is, with a warning', async context => {
  const faces = await makeTwoFaces(context);
  writeFiles(faces.path, { 'README.md': 'mine\n' });
  git(faces.path, 'add', 'README.md');
  const before = readFileSync(join(faces.adminDir, 'index'));
  await faces.inside('echo theirs >README.md; git commit -qam x');
  expect(await takeAndFollow(faces)).toEqual([expect.stringMatching(/something is staged/)]);
  expect(readFileSync(join(faces.adminDir, 'index'))).toEqual(before);
});

test("another git's lock is waited for, and then left alone", async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside('echo a >a; git add a; git commit -qm x');
  const lock = join(faces.adminDir, 'index.lock');
  writeFileSync(lock, '');
  expect(await takeAndFollow(faces)).toEqual([expect.stringMatching(/being written by another git/)]);
  expect(readFileSync(lock, 'utf8')).toBe('');
  rmSync(lock);
  await faces.inside('echo b >b; git add b; git commit -qm y');
  expect(await takeAndFollow(faces)).toEqual([]);
  expect(status(faces)).toBe('');
});
