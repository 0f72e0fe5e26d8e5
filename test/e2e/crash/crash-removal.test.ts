import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationSteps } from '../../../src/domain/journal.js';
import { hashFiles, isHeld, makeCrashSite, workIn } from '../../helpers/crash/crash-site.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { oneInSix, sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { git } from '../../helpers/repository.js';

/** From here on recovery completes a removal; before, it undoes it. */
const PAST_THE_SNAPSHOT: ReadonlySet<string> = new Set([
  'snapshotted',
  'unregistered',
  'handed-over',
  'done',
]);
const DISCARD = ['--discard-changes', '--discard-commits'];

describe('down, killed', () => {
  it('at any step, keeps every byte in the workspace or in a snapshot', { timeout: 120_000 }, () => {
    const site = makeCrashSite();
    const work = workIn(site.ok('up', 'a'));
    const before = fingerprint(site.repository);
    for (const step of oneInSix(operationSteps.down)) {
      site.killAt(`down:${step}`, 'down', 'a', ...DISCARD);

      const isGone = PAST_THE_SNAPSHOT.has(step);
      expect(site.settle(step)).toMatchObject(isGone ? [] : [{ name: 'a', status: 'ready', warnings: [] }]);
      expect(existsSync(work.path), step).toBe(!isGone);
      expect(isHeld(site.repository, work.commit), step).toBe(true);
      if (isGone) site.ok('restore', 'a');
      expect(hashFiles(work.path), step).toBe(work.hash);
      expect(git(work.path, 'rev-parse', 'HEAD'), step).toBe(work.commit);
      expect(fingerprint(site.repository)).toEqual(before);
    }
    site.ok('down', 'a', ...DISCARD);
    expect(site.settle()).toEqual([]);
  });

  thoroughTest('and the next command killed too, reaches the same end state', () => {
    const site = makeCrashSite();
    const work = workIn(site.ok('up', 'a'));
    site.killAt('down:snapshotted', 'down', 'a', ...DISCARD);
    for (const step of ['unregistered', 'handed-over', 'done'] as const) site.killAt(`down:${step}`, 'ls');
    expect(site.settle()).toEqual([]);
    expect(hashFiles(site.ok('restore', 'a'))).toBe(work.hash);
  });

  thoroughTest('leaves a branch alone that the user has made under that name since', () => {
    const site = makeCrashSite();
    site.ok('up', 'a');
    site.killAt('down:unregistered', 'down', 'a');
    git(site.repository, 'branch', 'carrel/a');
    site.ok('ls');
    expect(git(site.repository, 'branch', '--list', 'carrel/*')).toBe('  carrel/a');
  });

  thoroughTest('while it removes a plain copy, keeps every byte', () => {
    const site = makeCrashSite();
    const hash = hashFiles(site.ok('up', 'a', '--copy', site.repository));
    for (const step of sampleOf(operationSteps.down, 'captured')) {
      site.killAt(`down:${step}`, 'down', 'a', ...DISCARD);
      const [left] = site.carrel.json<{ path: string }[]>(site.repository, 'ls', '--all');
      expect(left === undefined).toBe(PAST_THE_SNAPSHOT.has(step));
      const [newest] = site.carrel.json<{ id: string }[]>(site.repository, 'snapshots', '--all');
      expect(hashFiles(left?.path ?? site.ok('restore', newest?.id ?? ''))).toBe(hash);
    }
  });
});

describe('gc, killed', () => {
  it('at any step of a removal has either removed the workspace or not, and loses nothing', () => {
    const site = makeCrashSite();
    const work = workIn(site.ok('up', 'kept'));
    const before = fingerprint(site.repository);
    for (const step of sampleOf(operationSteps.down, 'unregistered')) {
      if (!existsSync(join(dirname(work.path), 'idle'))) site.ok('up', 'idle');

      site.killAt(`down:${step}`, 'gc', '--older-than', '0s', '--yes');

      const names = site.settle(step).map(({ name }) => name);
      expect(names, step).toEqual(PAST_THE_SNAPSHOT.has(step) ? ['kept'] : ['kept', 'idle']);
      expect(hashFiles(work.path)).toBe(work.hash);
      expect(fingerprint(site.repository)).toEqual(before);
    }
  });

  thoroughTest('continues with the others the next time', () => {
    const site = makeCrashSite();
    for (const name of ['a', 'b']) site.ok('up', name);
    site.killAt('down:captured', 'gc', '--older-than', '0s', '--yes');
    site.ok('gc', '--older-than', '0s', '--yes');
    expect(site.settle()).toEqual([]);
  });
});

describe('snapshot, killed', () => {
  it.each(oneInSix(operationSteps.snapshot))('at "%s", has taken a whole one or none', step => {
    const site = makeCrashSite();
    const work = workIn(site.ok('up', 'a'));
    const before = fingerprint(site.repository);

    site.killAt(`snapshot:${step}`, 'snapshot', 'a');

    expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
    expect(hashFiles(work.path)).toBe(work.hash);
    const taken = site.carrel.json<{ id: string }[]>(site.repository, 'snapshots');
    expect(taken).toHaveLength(step === 'done' ? 1 : 0);
    const id = taken[0]?.id ?? site.ok('snapshot', 'a');
    expect(hashFiles(site.ok('restore', id, '--as', 'b'))).toBe(work.hash);
    expect(fingerprint(site.repository)).toEqual(before);
  });
});
