import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { commitFiles, git, writeFiles } from '../../../test/helpers/repository.js';
import { BRANCH, makeTwoFaces, type TwoFaces, WORKSPACE } from '../../../test/helpers/sandbox/two-faces.js';
import { exportToSandbox } from './export-to-sandbox.js';

const bring = (faces: TwoFaces) =>
  exportToSandbox({ ...faces, git: testGit(), workspaceId: WORKSPACE, branch: BRANCH });

test('nothing is run inside when nothing has happened outside', async context => {
  const faces = await makeTwoFaces(context);
  const run = () => Promise.reject(new Error('it was run'));
  expect(await bring({ ...faces, run })).toEqual({ outcome: 'unchanged' });
});

test('commits made outside appear inside, and staged and unstaged changes stay', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside('echo staged >staged; git add staged');
  writeFiles(faces.path, { 'outside.txt': 'x', 'README.md': 'changed\n' });
  git(faces.path, 'add', 'outside.txt');
  git(faces.path, 'commit', '--quiet', '-m', 'outside', 'outside.txt');
  const tip = faces.tip();
  expect(await bring(faces)).toEqual({ outcome: 'exported', from: faces.base, to: tip });
  expect(await faces.inside('git rev-parse HEAD; git status --porcelain')).toBe(
    `${tip}\n M README.md\nA  staged`,
  );
  expect(await faces.importFromSandbox()).toEqual({ outcome: 'unchanged', tip });
  await faces.inside('git commit -qm staged');
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', from: tip, commits: 1 });
});

test('an agent with new commits gets a branch to merge', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside('git commit -q --allow-empty -m inside');
  git(faces.path, 'commit', '--quiet', '--allow-empty', '-m', 'outside');
  const tip = faces.tip();
  expect(await bring(faces)).toEqual({ outcome: 'diverged', tip });
  expect(await faces.inside('git log -1 --format=%s')).toBe('inside');
  await faces.inside(`git merge -q -m both origin/${BRANCH}`);
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', from: tip, commits: 2 });
});

test("of concurrent commands one exports the commits, and none mistakes them for the agent's", async context => {
  const faces = await makeTwoFaces(context);
  git(faces.path, 'commit', '--quiet', '--allow-empty', '-m', 'outside');
  git(faces.repository, 'branch', 'new');
  const results = await Promise.all(Array.from({ length: 6 }, () => bring(faces)));
  expect(results.map(({ outcome }) => outcome).sort()).toEqual([
    'exported',
    ...Array.from({ length: 5 }, () => 'unchanged'),
  ]);
});

thoroughTest('with a lock of the agent, the lock and its branch are left alone', async context => {
  const faces = await makeTwoFaces(context);
  git(faces.path, 'commit', '--quiet', '--allow-empty', '-m', 'outside');
  await faces.inside('touch /run/carrel/git/index.lock');
  expect(await bring(faces)).toMatchObject({ outcome: 'diverged' });
  expect(await faces.inside('git rev-parse HEAD; ls /run/carrel/git/index.lock')).toContain(faces.base);
  await faces.inside('rm /run/carrel/git/index.lock');
  expect(await bring(faces)).toMatchObject({ outcome: 'exported' });
});

test("the repository's current branches are visible", async context => {
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
