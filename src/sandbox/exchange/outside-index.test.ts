import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { git, writeFiles } from '../../../test/helpers/repository.js';
import { makeTwoFaces, type TwoFaces } from '../../../test/helpers/sandbox/two-faces.js';
import { updateOutsideIndex } from './outside-index.js';

async function takeAndFollow(faces: TwoFaces): Promise<string[]> {
  const taken = await faces.importFromSandbox();
  if (taken.outcome !== 'imported') throw new Error(`it was ${taken.outcome}`);
  const place = { commonDir: faces.commonDir, gitDir: faces.adminDir, workTree: faces.path };
  return updateOutsideIndex({ git: testGit(), place, from: taken.from });
}

const status = (faces: TwoFaces): string => git(faces.path, 'status', '--porcelain');

test('after an import the worktree outside is clean, and uncommitted files show as such', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside('echo a >a; git add a; git rm -q README.md; git commit -qm x; echo b >b; echo more >>a');
  await faces.importFromSandbox();
  expect(status(faces), 'before the update').not.toBe(' M a\n?? b');
  git(faces.repository, 'update-ref', '-d', 'refs/carrel/workspaces/ws_twofaces00000000/taken');
  await faces.inside('git commit -q --allow-empty -m y');
  expect(await takeAndFollow(faces)).toEqual([]);
  expect(status(faces)).toBe(' M a\n?? b');
});

test('an edit in the second of the last status is still seen', async context => {
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

test('staged changes that conflict with the new commit leave the index unchanged, with a warning', async context => {
  const faces = await makeTwoFaces(context);
  writeFiles(faces.path, { 'README.md': 'mine\n' });
  git(faces.path, 'add', 'README.md');
  const before = readFileSync(join(faces.adminDir, 'index'));
  await faces.inside('echo theirs >README.md; git commit -qam x');
  expect(await takeAndFollow(faces)).toEqual([expect.stringMatching(/staged changes in/)]);
  expect(readFileSync(join(faces.adminDir, 'index'))).toEqual(before);
});

thoroughTest("waits for another git's lock, and then leaves it alone", async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside('echo a >a; git add a; git commit -qm x');
  const lock = join(faces.adminDir, 'index.lock');
  writeFileSync(lock, '');
  expect(await takeAndFollow(faces)).toEqual([expect.stringMatching(/locked by another git process/)]);
  expect(readFileSync(lock, 'utf8')).toBe('');
  rmSync(lock);
  await faces.inside('echo b >b; git add b; git commit -qm y');
  expect(await takeAndFollow(faces)).toEqual([]);
  expect(status(faces)).toBe('');
});
