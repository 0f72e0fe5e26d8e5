import { expect, test } from 'vitest';
import { commitFiles, git, writeFiles } from '../../test/helpers/repository.js';
import { testGit } from '../../test/helpers/test-git.js';
import { BRANCH, makeTwoFaces, type TwoFaces, WORKSPACE } from '../../test/helpers/two-faces.js';
import { bringIn } from './bring-in.js';

const bring = (faces: TwoFaces) =>
  bringIn({ ...faces, git: testGit(), workspaceId: WORKSPACE, branch: BRANCH });

test('nothing is run inside when nothing has happened outside', async context => {
  const faces = await makeTwoFaces(context);
  const exec = () => Promise.reject(new Error('it was run'));
  expect(await bring({ ...faces, exec })).toEqual({ outcome: 'unchanged' });
});

test('commits made outside are there inside, and what is staged and changed stays so', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside('echo staged >staged; git add staged');
  writeFiles(faces.path, { 'outside.txt': 'x', 'README.md': 'changed\n' });
  git(faces.path, 'add', 'outside.txt');
  git(faces.path, 'commit', '--quiet', '-m', 'outside', 'outside.txt');
  const tip = faces.tip();
  expect(await bring(faces)).toEqual({ outcome: 'brought', from: faces.base, to: tip });
  expect(await faces.inside('git rev-parse HEAD; git status --porcelain')).toBe(
    `${tip}\n M README.md\nA  staged`,
  );
  expect(await faces.takeBack()).toEqual({ outcome: 'unchanged', tip });
  await faces.inside('git commit -qm staged');
  expect(await faces.takeBack()).toMatchObject({ outcome: 'taken', from: tip, commits: 1 });
});

test('an agent that has gone on finds the commits as a branch to merge', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside('git commit -q --allow-empty -m inside');
  git(faces.path, 'commit', '--quiet', '--allow-empty', '-m', 'outside');
  const tip = faces.tip();
  expect(await bring(faces)).toEqual({ outcome: 'apart', tip });
  expect(await faces.inside('git log -1 --format=%s')).toBe('inside');
  await faces.inside(`git merge -q -m both origin/${BRANCH}`);
  expect(await faces.takeBack()).toMatchObject({ outcome: 'taken', from: tip, commits: 2 });
});

test('of commands that begin at the same moment one brings them in, and none takes that for the agent', async context => {
  const faces = await makeTwoFaces(context);
  git(faces.path, 'commit', '--quiet', '--allow-empty', '-m', 'outside');
  git(faces.repository, 'branch', 'new');
  const results = await Promise.all(Array.from({ length: 6 }, () => bring(faces)));
  expect(results.map(({ outcome }) => outcome).sort()).toEqual([
    'brought',
    ...Array.from({ length: 5 }, () => 'unchanged'),
  ]);
});

test('a lock of the agent is left alone, and so is its branch', async context => {
  const faces = await makeTwoFaces(context);
  git(faces.path, 'commit', '--quiet', '--allow-empty', '-m', 'outside');
  await faces.inside('touch /run/carrel/git/index.lock');
  expect(await bring(faces)).toMatchObject({ outcome: 'apart' });
  expect(await faces.inside('git rev-parse HEAD; ls /run/carrel/git/index.lock')).toContain(faces.base);
  await faces.inside('rm /run/carrel/git/index.lock');
  expect(await bring(faces)).toMatchObject({ outcome: 'brought' });
});

test("the repository's branches are seen as they are now", async context => {
  const faces = await makeTwoFaces(context);
  git(faces.repository, 'branch', 'gone');
  await bring(faces);
  git(faces.repository, 'branch', '-D', 'gone');
  git(faces.repository, 'branch', 'gone/on');
  const main = commitFiles(faces.repository, { 'm.txt': 'm' });
  await bring(faces);
  expect(await faces.inside('git rev-parse origin/main; git branch -r')).toBe(
    `${main}\n  origin/${BRANCH}\n  origin/gone/on\n  origin/main`,
  );
});
