import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { GcReport } from '../../src/domain/result.js';
import { collectGarbage, leaseWorkspace, openApp } from '../../src/index.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { thoroughTest } from '../helpers/flavours.js';
import { findLeftovers } from '../helpers/leftovers.js';
import { normalize } from '../helpers/removal.js';
import { commitFiles, git, makeRepository, writeFiles } from '../helpers/repository.js';
import { listFiles } from '../helpers/round-trip.js';
import { tempDir } from '../helpers/temp.js';

const DAY_MS = 86_400_000;

/** What is in the world of a repository's workspaces. */
const lookAround = (desk: Desk) => ({
  worktrees: git(desk.repository, 'worktree', 'list', '--porcelain'),
  refs: git(desk.repository, 'for-each-ref'),
  user: fingerprint(desk.repository),
  cache: existsSync(desk.carrel.cacheDir) ? listFiles(desk.carrel.cacheDir) : {},
});

/** The same operation as `carrel gc --yes`, some days from now. */
async function gcInDays(desk: Desk, days: number): Promise<GcReport> {
  const app = await openApp({ environment: desk.carrel.env, cwd: tempDir() });
  onTestFinished(() => app.close());
  const later = { ...app, now: () => Date.now() + days * DAY_MS };
  return collectGarbage(later, { repository: desk.repository, execute: true });
}

const outcomes = ({ items }: GcReport) =>
  Object.fromEntries(items.map(({ kind, name, outcome }) => [`${kind} ${name}`, outcome]));

/** One workspace of each kind: a has nothing to lose. */
async function makeAllKinds(): Promise<Desk> {
  const desk = makeDesk();
  writeFiles(desk.ok('up', 'edited'), { 'README.md': 'edited\n' });
  commitFiles(desk.ok('up', 'ahead'), { 'done.txt': 'done\n' }, 'not landed');
  git(desk.repository, 'worktree', 'lock', desk.ok('up', 'locked'));
  desk.ok('up', 'leased');
  const app = await openApp({ environment: desk.carrel.env, cwd: desk.repository });
  await leaseWorkspace(app, { repository: desk.repository, name: 'leased', holder: 'a night shift' });
  await app.close();
  return desk;
}

test('the plan gives a reason for everything and changes nothing; with --yes only what can’t be lost goes', async () => {
  const desk = await makeAllKinds();
  const before = lookAround(desk);
  const plan = desk.run('gc', '--older-than', '0s');
  expect(plan.status).toBe(0);
  expect(withoutNumbers(normalize(desk, plan))).toMatchInlineSnapshot(`
    "ACTION  KIND  NAME  SIZE  REASON
    remove  workspace  a  <size>  not used for <age>, nothing to lose
    keep  workspace  edited  -  uncommitted changes in README.md
    keep  workspace  ahead  -  1 commit(s) that are not landed: <short> not landed
    keep  workspace  locked  -  it is locked
    keep  workspace  leased  -  it is leased by a night shift
    1 would be removed (<size>); do it with: carrel gc --older-than 0s --yes"
  `);
  expect(lookAround(desk)).toEqual(before);
  expect(withoutNumbers(normalize(desk, desk.run('ls')))).toMatchInlineSnapshot(`
    "NAME  BRANCH  ISOLATION  STATUS  CHANGES  BASE  SIZE  PORT  ACTIVE
    a  carrel/a  worktree  ready  clean  even  <size>  <port>  <ago>
    edited  carrel/edited  worktree  ready  ~1  even  <size>  <port>  <ago>
    ahead  carrel/ahead  worktree  ready  clean  ↑1  <size>  <port>  <ago>
    locked  carrel/locked  worktree  ready  clean  even  <size>  <port>  <ago>
    leased  carrel/leased  worktree  ready, leased  clean  even  <size>  <port>  <ago>"
  `);
  const done = desk.run('gc', '--older-than', '0s', '--yes');
  expect(done.status).toBe(0);
  expect(withoutNumbers(normalize(desk, done))).toMatchInlineSnapshot(`
    "OUTCOME  KIND  NAME  SIZE  REASON
    removed  workspace  a  <size>  not used for <age>, nothing to lose
    kept  workspace  edited  -  uncommitted changes in README.md
    kept  workspace  ahead  -  1 commit(s) that are not landed: <short> not landed
    kept  workspace  locked  -  it is locked
    kept  workspace  leased  -  it is leased by a night shift
    kept  snapshot  a (<snap>)  -  can be restored for another 29d
    removed 1, freed <size>"
  `);
  expect(existsSync(desk.path)).toBe(false);
  expect(desk.carrel.json<{ name: string }[]>(desk.repository, 'ls').map(({ name }) => name)).toEqual([
    'edited',
    'ahead',
    'locked',
    'leased',
  ]);
  expect(fingerprint(desk.repository)).toEqual(before.user);
  expect(findLeftovers(desk)).toEqual([]);
});

const withoutNumbers = (text: string): string =>
  text
    .replaceAll(/\d+(\.\d+)? [KM]B/g, '<size>')
    .replaceAll(/\b[23]\d{4}\b/g, '<port>')
    .replaceAll(/just now|\d+s ago/g, '<ago>')
    .replaceAll(/for \d+s,/g, 'for <age>,')
    .replaceAll(/ {2,}/g, '  ');

thoroughTest('after everything went, worktrees, branches and cache are as before', () => {
  const repository = makeRepository();
  const desk = makeDesk({ repository });
  desk.ok('down', 'a');
  const before = lookAround(desk);
  const gitDirectory = readdirSync(join(repository, '.git')).sort();
  for (const name of ['b', 'c', 'deep/name', 'd']) desk.ok('up', name);
  desk.ok('gc', '--older-than', '0s', '--yes');
  const after = lookAround(desk);
  const withoutSnapshots = (refs: string) => refs.replaceAll(/^.*refs\/carrel\/snapshots\/.*\n?/gm, '');
  expect(withoutSnapshots(after.refs)).toBe(withoutSnapshots(before.refs));
  expect({ ...after, refs: '' }).toEqual({ ...before, refs: '' });
  expect(after.cache).toEqual({ '': expect.any(String) });
  expect(readdirSync(join(repository, '.git')).sort()).toEqual(gitDirectory);
  expect(findLeftovers(desk)).toEqual([]);
});

test('age is counted from the last recorded use', async () => {
  const desk = makeDesk();
  expect(desk.ok('gc', '--yes')).toContain('kept for 7d');
  expect(outcomes(await gcInDays(desk, 6))).toEqual({ 'workspace a': 'kept' });
  expect(outcomes(await gcInDays(desk, 8))).toEqual({ 'workspace a': 'removed', 'snapshot a': 'kept' });
});

thoroughTest(
  'a snapshot can be restored for its days and no longer, and one without the time is never taken along',
  async () => {
    const desk = makeDesk({ config: 'snapshots:\n  keepDays: 3\n' });
    writeFiles(desk.path, { 'new.txt': 'x\n' });
    desk.ok('down', 'a', '--discard-changes');
    expect(outcomes(await gcInDays(desk, 2))).toEqual({ 'snapshot a': 'kept' });
    desk.ok('restore', 'a', '--as', 'b');
    const report = await gcInDays(desk, 4);
    expect(report.items).toMatchObject([
      { kind: 'workspace', name: 'b', outcome: 'kept' },
      { kind: 'snapshot', name: 'a', outcome: 'removed', reason: expect.stringMatching(/^expired/) },
    ]);
    expect(desk.carrel.error(desk.repository, 'restore', 'a')).toMatchObject({ status: 5 });
    expect(git(desk.repository, 'for-each-ref', 'refs/carrel/snapshots')).toBe('');
    expect(findLeftovers(desk)).toEqual([]);
  },
);

test('workspaces of other repositories are touched with --all only', () => {
  const desk = makeDesk();
  const other = makeRepository({}, join(tempDir(), 'other'));
  desk.carrel.ok(other, 'up', 'theirs');
  desk.ok('gc', '--older-than', '0s', '--yes');
  expect(desk.carrel.json<{ name: string }[]>(other, 'ls')).toMatchObject([{ name: 'theirs' }]);
  desk.ok('gc', '--older-than', '0s', '--all', '--yes');
  expect(desk.carrel.json(other, 'ls')).toEqual([]);
});

thoroughTest('a copy of the repository’s own directory is tidied with it', () => {
  const desk = makeDesk();
  desk.ok('up', 'copy', '--copy', desk.repository);
  mkdirSync(join(desk.ok('path', 'copy'), 'made'));
  expect(desk.ok('gc', '--older-than', '0s', '--yes')).toMatch(/^removed +workspace +copy/m);
  desk.ok('restore', 'copy');
});
