import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { collectGarbage, leaseWorkspace, openApp, up, warmPool } from '../../../src/advanced.js';
import type { GcReport } from '../../../src/domain/report/result.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { listFiles } from '../../helpers/git/round-trip.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { normalize } from '../../helpers/workspace/removal.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

const DAY_MS = 86_400_000;

/** What is in the world of a repository's workspaces. */
const lookAround = (fixture: Fixture) => ({
  worktrees: git(fixture.repository, 'worktree', 'list', '--porcelain'),
  refs: git(fixture.repository, 'for-each-ref'),
  user: fingerprint(fixture.repository),
  cache: existsSync(fixture.carrel.cacheDir) ? listFiles(fixture.carrel.cacheDir) : {},
});

/** The same operation as `carrel gc --yes`, some days from now. */
async function gcInDays(fixture: Fixture, days: number): Promise<GcReport> {
  const app = await openApp({ environment: fixture.carrel.env, cwd: tempDir() });
  onTestFinished(() => app.close());
  const later = {
    ...app,
    now: () => Date.now() + days * DAY_MS,
    steadyTime: () => ({ boot: 'one', uptimeMs: days * DAY_MS }),
  };
  return collectGarbage(later, { repository: fixture.repository, execute: true });
}

const outcomes = ({ items }: GcReport) =>
  Object.fromEntries(items.map(({ kind, name, outcome }) => [`${kind} ${name}`, outcome]));

/** One workspace of each kind: a has nothing to lose. */
async function makeAllKinds(): Promise<Fixture> {
  const fixture = makeFixture();
  writeFiles(fixture.ok('up', 'edited'), { 'README.md': 'edited\n' });
  commitFiles(fixture.ok('up', 'ahead'), { 'done.txt': 'done\n' }, 'not landed');
  git(fixture.repository, 'worktree', 'lock', fixture.ok('up', 'locked'));
  fixture.ok('up', 'leased');
  const app = await openApp({ environment: fixture.carrel.env, cwd: fixture.repository });
  await leaseWorkspace(app, { repository: fixture.repository, name: 'leased', holder: 'a night shift' });
  await app.close();
  return fixture;
}

test('the plan gives a reason for everything and changes nothing; with --yes only what can’t be lost is removed', async () => {
  const fixture = await makeAllKinds();
  const before = lookAround(fixture);
  const plan = fixture.run('gc', '--older-than', '0s');
  expect(plan.status).toBe(0);
  expect(withoutNumbers(normalize(fixture, plan))).toMatchInlineSnapshot(`
    "ACTION  KIND  NAME  SIZE  REASON
    remove  workspace  a  <size>  not used for <age>, nothing to lose
    keep  workspace  edited  -  uncommitted changes in README.md
    keep  workspace  ahead  -  1 commit not landed: <short> not landed
    keep  workspace  locked  -  it is locked
    keep  workspace  leased  -  it is leased by a night shift
    1 would be removed (<size>); remove with: carrel gc --older-than 0s --yes"
  `);
  expect(lookAround(fixture)).toEqual(before);
  expect(withoutNumbers(normalize(fixture, fixture.run('ls')))).toMatchInlineSnapshot(`
    "NAME  BRANCH  ISOLATION  STATUS  CHANGES  BASE  SIZE  PORT  ACTIVE
    a  carrel/a  worktree  ready  clean  even  <size>  <port>  <ago>
    edited  carrel/edited  worktree  ready  ~1  even  <size>  <port>  <ago>
    ahead  carrel/ahead  worktree  ready  clean  ↑1  <size>  <port>  <ago>
    locked  carrel/locked  worktree  ready  clean  even  <size>  <port>  <ago>
    leased  carrel/leased  worktree  ready, leased  clean  even  <size>  <port>  <ago>"
  `);
  const done = fixture.run('gc', '--older-than', '0s', '--yes');
  expect(done.status).toBe(0);
  expect(withoutNumbers(normalize(fixture, done))).toMatchInlineSnapshot(`
    "OUTCOME  KIND  NAME  SIZE  REASON
    removed  workspace  a  <size>  not used for <age>, nothing to lose
    kept  workspace  edited  -  uncommitted changes in README.md
    kept  workspace  ahead  -  1 commit not landed: <short> not landed
    kept  workspace  locked  -  it is locked
    kept  workspace  leased  -  it is leased by a night shift
    kept  snapshot  a (<snap>)  -  can be restored for another 29d
    removed 1, freed <size>"
  `);
  expect(existsSync(fixture.path)).toBe(false);
  expect(fixture.carrel.json<{ name: string }[]>(fixture.repository, 'ls').map(({ name }) => name)).toEqual([
    'edited',
    'ahead',
    'locked',
    'leased',
  ]);
  expect(fingerprint(fixture.repository)).toEqual(before.user);
  expect(findLeftovers(fixture)).toEqual([]);
});

const withoutNumbers = (text: string): string =>
  text
    .replaceAll(/\d+(\.\d+)? [KM]B/g, '<size>')
    .replaceAll(/\b[23]\d{4}\b/g, '<port>')
    .replaceAll(/just now|\d+s ago/g, '<ago>')
    .replaceAll(/for \d+m?s,/g, 'for <age>,')
    .replaceAll(/ {2,}/g, '  ');

thoroughTest('after everything is removed, worktrees, branches and cache are as before', () => {
  const repository = makeRepository();
  const fixture = makeFixture({ repository });
  fixture.ok('down', 'a');
  const before = lookAround(fixture);
  const gitDirectory = readdirSync(join(repository, '.git')).sort();
  for (const name of ['b', 'c', 'deep/name', 'd']) fixture.ok('up', name);
  fixture.ok('gc', '--older-than', '0s', '--yes');
  const after = lookAround(fixture);
  const withoutSnapshots = (refs: string) => refs.replaceAll(/^.*refs\/carrel\/snapshots\/.*\n?/gm, '');
  expect(withoutSnapshots(after.refs)).toBe(withoutSnapshots(before.refs));
  expect({ ...after, refs: '' }).toEqual({ ...before, refs: '' });
  expect(after.cache).toEqual({ '': expect.any(String) });
  expect(readdirSync(join(repository, '.git')).sort()).toEqual(gitDirectory);
  expect(findLeftovers(fixture)).toEqual([]);
});

test('age is counted from the last recorded use', async () => {
  const fixture = makeFixture();
  expect(fixture.ok('gc', '--yes')).toContain('kept for 7d');
  expect(outcomes(await gcInDays(fixture, 6))).toEqual({ 'workspace a': 'kept' });
  expect(outcomes(await gcInDays(fixture, 8))).toEqual({ 'workspace a': 'removed', 'snapshot a': 'kept' });
});

thoroughTest(
  'a snapshot can be restored until it expires, and others are never removed with it',
  async () => {
    const fixture = makeFixture({ config: 'snapshots:\n  keepDays: 3\n' });
    writeFiles(fixture.path, { 'new.txt': 'x\n' });
    fixture.ok('down', 'a', '--discard-changes');
    expect(outcomes(await gcInDays(fixture, 2))).toEqual({ 'snapshot a': 'kept' });
    fixture.ok('restore', 'a', '--as', 'b');
    expect(outcomes(await gcInDays(fixture, 4))).toMatchObject({ 'snapshot a': 'kept' });
    const report = await gcInDays(fixture, 5);
    expect(report.items).toMatchObject([
      { kind: 'workspace', name: 'b', outcome: 'kept' },
      { kind: 'snapshot', name: 'a', outcome: 'removed', reason: expect.stringMatching(/^expired/) },
    ]);
    expect(fixture.carrel.error(fixture.repository, 'restore', 'a')).toMatchObject({ status: 5 });
    expect(git(fixture.repository, 'for-each-ref', 'refs/carrel/snapshots')).toBe('');
    expect(findLeftovers(fixture)).toEqual([]);
  },
);

thoroughTest('workspaces of other repositories are touched with --all only', () => {
  const fixture = makeFixture();
  const other = makeRepository({}, join(tempDir(), 'other'));
  fixture.carrel.ok(other, 'up', 'theirs');
  fixture.ok('gc', '--older-than', '0s', '--yes');
  expect(fixture.carrel.json<{ name: string }[]>(other, 'ls')).toMatchObject([{ name: 'theirs' }]);
  fixture.ok('gc', '--older-than', '0s', '--all', '--yes');
  expect(fixture.carrel.json(other, 'ls')).toEqual([]);
});

thoroughTest('a copy of the repository’s own directory is tidied with it', () => {
  const fixture = makeFixture();
  fixture.ok('up', 'copy', '--copy', fixture.repository);
  mkdirSync(join(fixture.ok('path', 'copy'), 'made'));
  expect(fixture.ok('gc', '--older-than', '0s', '--yes')).toMatch(/^removed +workspace +copy/m);
  fixture.ok('restore', 'copy');
});

thoroughTest(
  'what was created while the clock was ahead expires normally once the clock is right',
  async () => {
    const fixture = makeFixture();
    const app = await openApp({ environment: fixture.carrel.env, cwd: fixture.repository });
    onTestFinished(() => app.close());
    const ahead = { ...app, now: () => Date.now() + 40 * DAY_MS };
    await warmPool(ahead, { repository: fixture.repository, count: 2 });
    await up(ahead, { repository: fixture.repository, name: 'early' });
    const { items } = await collectGarbage(app, {
      repository: fixture.repository,
      execute: true,
      olderThanMs: 0,
      trustClock: true,
    });
    const kept = items.filter(({ kind, outcome }) => kind !== 'snapshot' && outcome === 'kept');
    expect(kept).toEqual([]);
    await warmPool(ahead, { repository: fixture.repository, count: 1 });
    fixture.ok('pool', 'drain');
    expect(JSON.parse(fixture.ok('pool', 'status', '--json')).slots).toEqual([]);
  },
);
