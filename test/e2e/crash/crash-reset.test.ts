import { describe, expect, it } from 'vitest';
import { operationSteps } from '../../../src/domain/journal.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import { hashFiles, isHeld, makeCrashSite, type Work, workIn } from '../../helpers/crash/crash-site.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { oneInSix, thoroughTest } from '../../helpers/flavours.js';
import { git, writeFiles } from '../../helpers/repository.js';

/** From here on recovery completes a reset; before, it undoes it. */
const UNDONE: ReadonlySet<string> = new Set(['recorded', 'set-aside', 'captured']);
const DISCARD = ['--discard-changes', '--discard-commits'];

type Site = ReturnType<typeof makeCrashSite>;

/** The snapshot of the reset holds the work to the byte. */
function expectKept(site: Site, work: Work, step: string): void {
  const [newest] = site.carrel.json<Snapshot[]>(site.repository, 'snapshots');
  expect(newest?.reason, step).toBe('reset');
  const restored = site.ok('restore', newest?.id ?? '', '--as', `before-${step}`);
  expect(hashFiles(restored), step).toBe(work.hash);
  expect(git(restored, 'rev-parse', 'HEAD'), step).toBe(work.commit);
  site.ok('down', `before-${step}`, ...DISCARD);
}

function expectRemoved(site: Site, reason: string, hash: string): void {
  const { stderr } = site.carrel.run(site.repository, 'ls');
  expect(stderr).toContain(`a could not be recreated and was removed: ${reason}`);
  expect(site.settle()).toEqual([]);
  const [newest] = site.carrel.json<Snapshot[]>(site.repository, 'snapshots');
  expect(hashFiles(site.ok('restore', newest?.id ?? ''))).toBe(hash);
}

describe('reset, killed', () => {
  it('at any step, has the work in the workspace, or in a snapshot beside a new one', {
    timeout: 120_000,
  }, () => {
    const site = makeCrashSite();
    const path = site.ok('up', 'a');
    const before = fingerprint(site.repository);
    for (const step of oneInSix(operationSteps.reset)) {
      const fresh = hashFiles(path);
      const work = workIn(path, `work-${step}`);
      site.killAt(`reset:${step}`, 'reset', 'a', ...DISCARD);

      expect(site.settle(step)).toMatchObject([{ name: 'a', status: 'ready', branch: 'carrel/a' }]);
      expect(isHeld(site.repository, work.commit), step).toBe(true);
      expect(hashFiles(path), step).toBe(UNDONE.has(step) ? work.hash : fresh);
      if (UNDONE.has(step)) site.ok('reset', 'a', ...DISCARD);
      expect(git(path, 'rev-parse', 'HEAD'), step).toBe(git(site.repository, 'rev-parse', 'HEAD'));
      expectKept(site, work, step);
      expect(fingerprint(site.repository)).toEqual(before);
    }
    site.ok('down', 'a', ...DISCARD);
    expect(site.settle()).toEqual([]);
  });

  thoroughTest('and the next command killed too, reaches the same end state', () => {
    const site = makeCrashSite();
    const path = site.ok('up', 'a');
    const fresh = hashFiles(path);
    const work = workIn(path);
    site.killAt('reset:snapshotted', 'reset', 'a', ...DISCARD);
    for (const step of ['cleared', 'registered', 'populated'] as const) site.killAt(`reset:${step}`, 'ls');
    expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
    expect(hashFiles(path)).toBe(fresh);
    expectKept(site, work, 'again');
  });

  thoroughTest("after the user's branch was moved, removes the workspace and keeps its work", () => {
    const site = makeCrashSite();
    git(site.repository, 'branch', 'feat/x');
    const path = site.ok('up', 'a', '--branch', 'feat/x');
    git(path, 'rm', '--quiet', 'README.md');
    const hash = hashFiles(path);
    site.killAt('reset:cleared', 'reset', 'a', ...DISCARD);
    git(site.repository, 'commit', '--quiet', '--allow-empty', '-m', 'next');
    git(site.repository, 'branch', '--force', 'feat/x', 'main');
    expectRemoved(site, 'its branch feat/x existed before the workspace and has moved since', hash);
    expect(git(site.repository, 'rev-parse', 'feat/x')).toBe(git(site.repository, 'rev-parse', 'main'));
  });

  thoroughTest('while it resets a plain copy, keeps every byte', () => {
    const site = makeCrashSite();
    const path = site.ok('up', 'a', '--copy', site.repository);
    const fresh = hashFiles(path);
    for (const step of operationSteps.reset) {
      writeFiles(path, { [`${step}.txt`]: `${step}\n` });
      const hash = hashFiles(path);
      site.killAt(`reset:${step}`, 'reset', 'a', ...DISCARD);
      site.ok('ls', '--all');
      expect(hashFiles(path), step).toBe(UNDONE.has(step) ? hash : fresh);
      if (UNDONE.has(step)) site.ok('reset', 'a', ...DISCARD);
      const [newest] = site.carrel.json<Snapshot[]>(site.repository, 'snapshots', '--all');
      expect(hashFiles(site.ok('restore', newest?.id ?? '', '--as', `b-${step}`)), step).toBe(hash);
    }
  });
});
