import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { operationSteps } from '../../src/domain/journal.js';
import { type CrashSite, hashFiles, isHeld, makeCrashSite } from '../helpers/crash/crash-site.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { git, writeFiles } from '../helpers/repository.js';
import { waitFor } from '../helpers/wait-for.js';
import { requireBubblewrap } from '../parts/bubblewrap.js';

beforeEach(requireBubblewrap);

// A test is some thirty commands, one after the other.
vi.setConfig({ testTimeout: 180_000 });

const UP = ['up', 'a', '--isolation', 'full', '--strict'];
const ACCEPTED = ['--discard-changes', '--discard-commits'];

function makeFullSite(): CrashSite {
  const site = makeCrashSite();
  writeFiles(site.carrel.home, { 'config/carrel/config.yaml': 'sandbox:\n  runtime: bubblewrap\n' });
  return site;
}

const inside = (site: CrashSite, script: string): string => site.ok('exec', 'a', '--', 'sh', '-c', script);

/** Committed, staged, changed, untracked and ignored, and a stash, which is nowhere but in the private git directory. */
function workInside(site: CrashSite) {
  const path = site.ok(...UP);
  const commit = inside(
    site,
    `echo stashed >> README.md; git stash -q; echo 1 > one; git add one; git commit -qm inside
     echo 2 > one; git add one; echo 3 > one; echo 4 > new; echo 5 > new.log; git rev-parse HEAD`,
  );
  return { path, commit, hash: hashFiles(path) };
}

/** What only git inside knows. */
const lookInside = (site: CrashSite): string =>
  inside(site, 'git log -1 --format=%H; git stash list --format=%gs; git status --porcelain');

/** All that settles is said by `settle`; this is what a sandbox may leave besides. */
function expectNothingRuns(site: CrashSite): void {
  expect(findProcesses(site.carrel.home)).toEqual([]);
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(site.carrel.home);
}

function listSandboxes(site: CrashSite): string[] {
  const root = join(site.carrel.stateDir, 'sandboxes');
  return existsSync(root) ? readdirSync(root).filter(name => name !== '.runtime') : [];
}

/** Processes, except zombies, that have a directory in their environment, inside or outside a sandbox. */
function findProcesses(directory: string): { pid: number; state: string }[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    const environment = read(`/proc/${name}/environ`);
    const state = /\) (\S)/.exec(read(`/proc/${name}/stat`))?.[1] ?? 'Z';
    return environment.includes(directory) && state !== 'Z' ? [{ pid: Number(name), state }] : [];
  });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

test('up, killed at any step, leaves nothing and can be repeated', () => {
  const site = makeFullSite();
  const before = fingerprint(site.repository);
  for (const step of operationSteps.up.filter(name => name !== 'done')) {
    site.killAt(`up:${step}`, ...UP);
    expect(site.settle(step), step).toEqual([]);
    expect(listSandboxes(site), step).toEqual([]);
    expectNothingRuns(site);
  }
  site.killAt('up:done', ...UP);
  expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
  expect(inside(site, 'git status --porcelain; echo works')).toBe('works');
  expect(fingerprint(site.repository)).toEqual(before);
});

test('snapshot, killed at any step, leaves the workspace as it was, inside and outside', () => {
  const site = makeFullSite();
  const before = fingerprint(site.repository);
  const { path, commit, hash } = workInside(site);
  const stand = lookInside(site);
  expect(stand).toMatch(new RegExp(`^${commit}\nWIP on .*\nMM one\n`));
  for (const step of operationSteps.snapshot) {
    site.killAt(`snapshot:${step}`, 'snapshot', 'a');
    expect(site.settle(step), step).toMatchObject([{ name: 'a', status: 'ready' }]);
    expect(hashFiles(path), step).toBe(hash);
    expectNothingRuns(site);
  }
  expect(lookInside(site)).toBe(stand);
  expect(fingerprint(site.repository)).toEqual(before);
});

test('down, killed at any step, leaves the work in the workspace or in a snapshot', () => {
  const site = makeFullSite();
  const before = fingerprint(site.repository);
  const { path, commit, hash } = workInside(site);
  const stand = lookInside(site);
  for (const step of operationSteps.down) {
    site.killAt(`down:${step}`, 'down', 'a', ...ACCEPTED);
    const isUp = site.settle(step).length > 0;
    expect(isUp, step).toBe(['recorded', 'set-aside', 'captured'].includes(step));
    expect(listSandboxes(site), step).toHaveLength(isUp ? 1 : 0);
    expectNothingRuns(site);
    expect(isHeld(site.repository, commit), step).toBe(true);
    if (!isUp) site.ok('restore', 'a');
    expect(hashFiles(path), step).toBe(hash);
    if (!isUp) expect(lookInside(site), step).toBe(stand);
  }
  expect(fingerprint(site.repository)).toEqual(before);
});

test('restore, killed at any step, leaves the snapshot and can be repeated', () => {
  const site = makeFullSite();
  const { path, commit, hash } = workInside(site);
  const stand = lookInside(site);
  site.ok('down', 'a', ...ACCEPTED);
  const before = fingerprint(site.repository);
  for (const step of operationSteps.restore.filter(name => name !== 'done')) {
    site.killAt(`restore:${step}`, 'restore', 'a');
    expect(site.settle(step), step).toEqual([]);
    expect(listSandboxes(site), step).toEqual([]);
    expectNothingRuns(site);
    expect(isHeld(site.repository, commit), step).toBe(true);
  }
  site.killAt('restore:done', 'restore', 'a');
  expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
  expect(hashFiles(path)).toBe(hash);
  expect(lookInside(site)).toBe(stand);
  expect(fingerprint(site.repository)).toEqual(before);
});

test('land, killed at any step, has landed entirely or not at all', () => {
  const site = makeFullSite();
  site.ok(...UP);
  for (const step of operationSteps.land) {
    const before = { print: fingerprint(site.repository), tip: git(site.repository, 'rev-parse', 'main') };
    const commit = inside(
      site,
      `echo ${step} > ${step}.txt; git add .; git commit -qm ${step}; git rev-parse HEAD`,
    );
    site.killAt(`land:${step}`, 'land', 'a', '--keep');
    expect(site.settle(step), step).toMatchObject([{ name: 'a', status: 'ready' }]);
    expectNothingRuns(site);
    expect(isHeld(site.repository, commit), step).toBe(true);
    const hasLanded = git(site.repository, 'rev-parse', 'main') !== before.tip;
    expect(hasLanded, step).toBe(['moved', 'checked-out', 'done'].includes(step));
    if (!hasLanded) expect(fingerprint(site.repository), step).toEqual(before.print);
    if (!hasLanded) site.ok('land', 'a', '--keep');
    expect(readFileSync(join(site.repository, `${step}.txt`), 'utf8')).toBe(`${step}\n`);
    expect(git(site.repository, 'status', '--porcelain'), step).toBe('');
  }
});

test('exec, killed while its command runs, ends everything inside, and the next command works', async () => {
  const { site, path, running } = await startTicking();
  running.child.kill('SIGKILL');
  await waitFor('the end of all inside', () => (findProcesses(path).length === 0 ? true : undefined), 1000);
  await running;
  expect(inside(site, 'git log -1 --format=%s; git status --porcelain')).toBe('inside\n?? tick');
  expect(git(site.repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('inside');
  site.ok('down', 'a', ...ACCEPTED);
  expect(site.settle()).toEqual([]);
  expect(listSandboxes(site)).toEqual([]);
});

test('snapshot, killed while the sandbox is halted, is cleaned up by the next command, and everything continues', async () => {
  const { site, path, running } = await startTicking();
  site.killAt('snapshot:captured', 'snapshot', 'a');
  const halted = findProcesses(path);
  expect(halted.length).toBeGreaterThan(0);
  expect(halted.filter(({ state }) => state !== 'T')).toEqual([]);
  const last = read(join(path, 'tick'));
  site.ok('ls');
  await waitFor('another tick', () => (read(join(path, 'tick')) === last ? undefined : true));
  expect(site.ok('snapshots', 'a', '--json')).toBe('[]');
  running.child.kill('SIGKILL');
  await running;
});

/** A command that has committed, has a daemon, and writes something new again and again. */
async function startTicking() {
  const site = makeFullSite();
  const path = site.ok(...UP);
  const script = `git commit -q --allow-empty -m inside; setsid sleep 1000 & trap '' TERM
    n=0; while :; do n=$((n + 1)); echo $n > tick; sleep 0.02; done`;
  const running = site.carrel.start(site.repository, 'exec', 'a', '--', 'sh', '-c', script);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  await waitFor('a tick', () => (read(join(path, 'tick')) === '' ? undefined : true));
  expect(findProcesses(path).length).toBeGreaterThan(2);
  return { site, path, running };
}
