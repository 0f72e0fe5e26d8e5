import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import type { LandResult } from '../../../src/domain/report/result.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { loseDatabase } from '../../helpers/crash/lose-database.js';
import { hashTree } from '../../helpers/fingerprint.js';
import { jjCommit, jjEnv, makeJjRepository, requireJj } from '../../helpers/git/jj.js';
import { makeGroupSite } from '../../helpers/group/group-site.js';
import { readRecords } from '../../helpers/records.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';

const hashFiles = (path: string) => hashTree(path, new Set(['.git', '.jj']));

/** One repository of each kind. */
function makeMixed(context: TestContext) {
  requireJj(context);
  const carrel = createCarrel(tempDir(), { ...jjEnv(), HOME: tempDir() });
  const [app, plain, colocated] = [
    makeRepository(),
    makeJjRepository('plain'),
    makeJjRepository('colocated'),
  ];
  const given = ['--with-repository', `plain=${plain}`, '--with-repository', `colocated=${colocated}`];
  const { repositories = [] } = carrel.json<Workspace>(app, 'up', 'login', ...given);
  const parts = repositories.map(({ path }) => path);
  const tips = () => [
    git(app, 'rev-parse', 'main'),
    jjCommit(plain, 'main'),
    git(colocated, 'rev-parse', 'refs/heads/main'),
  ];
  return { carrel, app, parts, tips };
}

test('git and jj repositories land together, and are removed and restored together', context => {
  const { carrel, app, parts, tips } = makeMixed(context);
  for (const path of parts) writeFiles(path, { 'new.txt': `${path}\n` });
  const names = carrel.ok(app, 'diff', 'login', '--name-only').split('\n');
  expect(names).toEqual(['repo/new.txt', 'plain/new.txt', 'colocated/new.txt']);
  const hashes = parts.map(hashFiles);
  carrel.ok(app, 'down', 'login', '--discard-changes', '--discard-commits');
  carrel.ok(app, 'restore', 'login');
  expect(parts.map(hashFiles)).toEqual(hashes);
  const before = tips();
  const landed = carrel.json<LandResult>(app, 'land', 'login', '-m', 'all of it');
  expect(landed.repositories?.map(({ alias }) => alias)).toEqual(['repo', 'plain', 'colocated']);
  expect(tips()).toEqual(landed.repositories?.map(({ after }) => after));
  expect(tips()).not.toEqual(before);
  expect(carrel.json(app, 'ls', '--all')).toEqual([]);
});

test.for(['land:moved#2', 'land:checked-out#2', 'land:moved#3'])(
  'killed at %s, nothing has landed, and it can be repeated',
  (moment, context) => {
    const { carrel, app, parts, tips } = makeMixed(context);
    for (const path of parts) writeFiles(path, { 'new.txt': `${path}\n` });
    const before = tips();
    const killed = carrel.runWith({ CARREL_TEST_KILL_AT: moment }, app, 'land', 'login', '-m', 'all of it');
    expect(killed.signal).toBe('SIGKILL');
    expect(carrel.json(app, 'ls', '--all')).toHaveLength(3);
    expect(tips()).toEqual(before);
    const landed = carrel.json<LandResult>(app, 'land', 'login', '-m', 'all of it');
    expect(tips()).toEqual(landed.repositories?.map(({ after }) => after));
  },
);

test('rebuilt records belong together again', () => {
  const { carrel, repositories, ok, up } = makeGroupSite();
  const parts = up();
  loseDatabase(carrel);
  ok('doctor', '--repair');
  const shown = carrel.json<Workspace>(repositories.app, 'show', 'login');
  expect(shown.repositories?.map(({ path }) => path).sort()).toEqual(Object.values(parts).sort());
  ok('down', 'login');
  expect(carrel.json(repositories.app, 'ls', '--all')).toEqual([]);
});

test('what a command in one repository writes in another is in a checkpoint', async () => {
  const { carrel, ok, up } = makeGroupSite({ CARREL_CHECKPOINTS: 'on' });
  const parts = up();
  ok('exec', 'login', '--', 'sh', '-c', `echo draft > '${parts.web}/draft.txt'`);
  await waitFor('the checkpoint', () => {
    const isQuiet = readdirSync(join(carrel.stateDir, 'in-use')).length === 0;
    const { snapshots } = readRecords(carrel.stateDir);
    return isQuiet && snapshots.some(({ commit }) => commit !== null) ? true : undefined;
  });
  renameSync(parts.web, `${parts.web}-deleted`);
  ok('restore', 'login');
  expect(readFileSync(join(parts.web, 'draft.txt'), 'utf8')).toBe('draft\n');
  expect(existsSync(join(parts.api, 'draft.txt'))).toBe(false);
});
