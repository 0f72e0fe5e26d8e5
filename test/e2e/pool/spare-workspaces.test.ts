import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { operationSteps } from '../../../src/domain/journal.js';
import type { GcReport } from '../../../src/domain/report/result.js';
import type { PoolReport } from '../../../src/domain/workspace/pool-report.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { type Carrel, createCarrel } from '../../helpers/carrel.js';
import { hashFiles } from '../../helpers/crash/crash-site.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { identifyFiles } from '../../helpers/git/counting-git.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { waitFor } from '../../helpers/wait-for.js';

interface Site {
  readonly carrel: Carrel;
  readonly repository: string;
}

/** A repository whose first workspace is there, and its spare too. */
async function makeSite(pool = 'spare: 1'): Promise<Site> {
  const carrel = createCarrel();
  writeFiles(carrel.home, { 'config/carrel/config.yaml': `pool:\n  ${pool}\n` });
  const repository = makeRepository({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n', '.gitignore': '*.log\n' });
  const site = { carrel, repository };
  expect(up(site, 'first').population?.way).toBe('checkout');
  await untilSpare(site);
  return site;
}

const up = ({ carrel, repository }: Site, name: string) =>
  carrel.json<WorkspaceDetails>(repository, 'up', name);

const statusOf = ({ carrel, repository }: Site) => carrel.json<PoolReport>(repository, 'pool', 'status');

const untilSpare = (site: Site) =>
  waitFor('a spare', () => {
    const { slots, remains } = statusOf(site);
    return (slots.length === 1 && slots[0]?.status === 'free' && remains.length === 0) || undefined;
  });

thoroughTest(
  'the second workspace uses the spare, on its own branch, and another spare is created',
  async () => {
    const site = await makeSite();
    const { carrel, repository } = site;
    const before = fingerprint(repository);
    const [spare] = statusOf(site).slots;
    const { path, branch, population } = up(site, 'second');
    expect(population).toEqual({ way: 'spare', reason: null });
    expect(existsSync(spare?.path as string)).toBe(false);
    expect(hashFiles(path)).toBe(hashFiles(carrel.ok(repository, 'path', 'first')));
    expect(git(path, 'status', '--porcelain', '--ignored')).toBe('');
    expect(git(path, 'symbolic-ref', '--short', 'HEAD')).toBe(branch);
    commitFiles(path, { 'new.txt': 'new\n' });
    expect(git(repository, 'rev-parse', 'carrel/second')).toBe(git(path, 'rev-parse', 'HEAD'));
    await untilSpare(site);
    expect(statusOf(site).slots[0]?.id).not.toBe(spare?.id);
    expect(fingerprint(repository)).toEqual(before);
  },
);

test('up with a spare takes its files as they are, and writes none of them again', async () => {
  const site = await makeSite();
  const [spare] = statusOf(site).slots;
  const before = identifyFiles(spare?.path as string);
  const { path, population } = up(site, 'second');
  expect(population?.way).toBe('spare');
  expect(before.size).toBe(3);
  expect(identifyFiles(path)).toEqual(before);
  await untilSpare(site);
});

thoroughTest('a spare is not a workspace: neither git nor ls lists it', async () => {
  const site = await makeSite();
  const { carrel, repository } = site;
  const names = carrel.json<WorkspaceDetails[]>(repository, 'ls').map(({ name }) => name);
  expect(names).toEqual(['first']);
  expect(git(repository, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(2);
});

thoroughTest('a spare at an older commit is moved to the requested one', async () => {
  const site = await makeSite();
  commitFiles(site.repository, { 'a.txt': 'changed\n', 'later.txt': 'later\n' });
  git(site.repository, 'rm', '--quiet', 'deep/b.txt');
  git(site.repository, 'commit', '--quiet', '-m', 'gone');
  const { path, population } = up(site, 'second');
  expect(population?.way).toBe('spare');
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('changed\n');
  expect(existsSync(join(path, 'later.txt'))).toBe(true);
  expect(existsSync(join(path, 'deep'))).toBe(false);
  expect(git(path, 'status', '--porcelain')).toBe('');
});

thoroughTest('an edit of the same size right after is seen', async () => {
  const site = await makeSite();
  const { path } = up(site, 'second');
  writeFiles(path, { 'a.txt': 'A\n' });
  expect(git(path, 'status', '--porcelain')).toBe(' M a.txt');
  expect(site.carrel.run(site.repository, 'down', 'second').status).toBe(3);
});

thoroughTest('gc removes a spare that was unused for as long as workspaces are kept', async () => {
  const site = await makeSite();
  const { carrel, repository } = site;
  const [spare] = statusOf(site).slots;
  const slots = (report: GcReport) => report.items.filter(({ kind }) => kind === 'slot');
  expect(slots(carrel.json(repository, 'gc'))).toMatchObject([{ id: spare?.id, action: 'keep' }]);
  const plan = carrel.json<GcReport>(repository, 'gc', '--older-than', '0s');
  expect(slots(plan)).toMatchObject([{ id: spare?.id, action: 'remove', outcome: 'planned' }]);
  const done = carrel.json<GcReport>(repository, 'gc', '--older-than', '0s', '--yes');
  expect(slots(done)).toMatchObject([{ id: spare?.id, outcome: 'removed' }]);
  expect(statusOf(site)).toMatchObject({ slots: [], remains: [] });
  expect(git(repository, 'for-each-ref', 'refs/carrel/pool')).toBe('');
  expect(existsSync(spare?.path as string)).toBe(false);
});

test('without spares nothing is started and nothing is kept', () => {
  const carrel = createCarrel();
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'pool:\n  spare: off\n' });
  const site = { carrel, repository: makeRepository({ 'a.txt': 'a\n' }) };
  expect(up(site, 'first').population?.way).toBe('checkout');
  expect(up(site, 'second').population?.way).toBe('checkout');
  expect(statusOf(site)).toMatchObject({ slots: [], remains: [] });
});

test('where the disk has no room for a spare, workspaces are made all the same and no spare is', () => {
  const carrel = createCarrel();
  const site = { carrel, repository: makeRepository({ 'a.txt': 'a\n' }) };
  const limit = 'workspace:\n  limits:\n    bytes: 1k\n';
  up(site, 'first');
  writeFiles(carrel.home, { 'config/carrel/config.yaml': `pool:\n  spare: 1\n${limit}` });
  expect(carrel.run(site.repository, 'pool', 'refill').status).toBe(0);
  expect(statusOf(site).slots).toEqual([]);
});

describe('up with a spare, killed', () => {
  const steps = operationSteps.up.filter(step => step !== 'done');
  it.each(sampleOf(steps, 'populated'))('at "%s", leaves nothing behind and can be repeated', async step => {
    const site = await makeSite();
    const { carrel, repository } = site;
    const before = fingerprint(repository);
    const env = { CARREL_TEST_KILL_AT: `up:${step}` };
    expect(carrel.runWith(env, repository, 'up', 'second').signal).toBe('SIGKILL');
    expect(carrel.json<WorkspaceDetails[]>(repository, 'ls').map(({ name }) => name)).toEqual(['first']);
    // The next command has it seen to in the background, where a new spare is made as well.
    await untilSpare(site);
    expect(git(repository, 'for-each-ref', 'refs/carrel/pool').split('\n')).toHaveLength(1);
    expect(git(up(site, 'second').path, 'status', '--porcelain')).toBe('');
    await untilSpare(site);
    expect(fingerprint(repository)).toEqual(before);
  });
});
