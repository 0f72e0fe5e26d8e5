import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationSteps } from '../../../src/domain/journal.js';
import { hashFiles, isHeld, makeCrashSite, workIn } from '../../helpers/crash/crash-site.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { flavours, oneInSix, sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { readRecords } from '../../helpers/records.js';
import { git } from '../../helpers/repository.js';

const unfinished = (steps: readonly string[]) => steps.filter(step => step !== 'done');

describe('up, killed', () => {
  it.each(oneInSix(unfinished(operationSteps.up)))(
    'at "%s", leaves nothing behind and can be repeated',
    step => {
      const site = makeCrashSite();
      const before = fingerprint(site.repository);

      site.killAt(`up:${step}`, 'up', 'a');

      expect(site.settle()).toEqual([]);
      expect(existsSync(join(site.carrel.cacheDir, 'worktrees'))).toBe(false);
      const path = site.ok('up', 'a');
      expect(readFileSync(join(path, '.env'), 'utf8')).toBe('SECRET=1\n');
      expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
      expect(fingerprint(site.repository)).toEqual(before);
    },
  );

  it('at "done", has made the workspace', () => {
    const site = makeCrashSite();
    const before = fingerprint(site.repository);

    site.killAt('up:done', 'up', 'a');

    expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready', warnings: [] }]);
    expect(fingerprint(site.repository)).toEqual(before);
    site.ok('down', 'a');
    expect(site.settle()).toEqual([]);
  });

  thoroughTest('does not change other workspaces', () => {
    const site = makeCrashSite();
    const { path, hash } = workIn(site.ok('up', 'other'));

    site.killAt('up:populated', 'up', 'a');

    expect(site.settle()).toMatchObject([{ name: 'other' }]);
    expect(hashFiles(path)).toBe(hash);
  });

  thoroughTest('while it makes a plain copy, leaves nothing behind', () => {
    const site = makeCrashSite();
    for (const step of sampleOf(unfinished(operationSteps.up), 'populated')) {
      site.killAt(`up:${step}`, 'up', 'a', '--copy', site.repository);
      expect(site.settle()).toEqual([]);
      expect(git(`${site.carrel.stateDir}/vault.git`, 'for-each-ref')).toBe('');
    }
  });
});

describe('restore, killed', () => {
  function makeSnapshot() {
    const site = makeCrashSite();
    const work = workIn(site.ok('up', 'a'));
    site.ok('down', 'a', '--discard-changes', '--discard-commits');
    return { site, work };
  }

  it('at any step, leaves nothing but the snapshot, and can be repeated', () => {
    const { site, work } = makeSnapshot();
    const before = fingerprint(site.repository);
    for (const step of oneInSix(unfinished(operationSteps.restore))) {
      site.killAt(`restore:${step}`, 'restore', 'a');
      expect(site.settle(step)).toEqual([]);
      expect(isHeld(site.repository, work.commit), step).toBe(true);
    }
    const path = site.ok('restore', 'a');
    expect(hashFiles(path)).toBe(work.hash);
    expect(git(path, 'rev-parse', 'carrel/a')).toBe(work.commit);
    expect(fingerprint(site.repository)).toEqual(before);
    expect(site.settle()).toHaveLength(1);
  });

  thoroughTest('at "done" has restored everything', () => {
    const { site, work } = makeSnapshot();

    site.killAt('restore:done', 'restore', 'a');

    expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
    expect(hashFiles(work.path)).toBe(work.hash);
  });
});

/** Moments between two steps, put together by hand as the kill would have left them. */
describe('up, killed between two steps', () => {
  function makeRecordedWorkspace() {
    const site = makeCrashSite();
    site.killAt('up:recorded', 'up', 'a');
    const [record] = readRecords(site.carrel.stateDir).workspaces;
    if (!record) throw new Error('there is no record');
    const adminDir = join(site.repository, '.git/worktrees', record.id);
    mkdirSync(record.path, { recursive: true });
    return { site, record, adminDir };
  }

  it('when only the directory stood, leaves nothing', () => {
    const { site } = makeRecordedWorkspace();
    expect(site.settle()).toEqual([]);
  });

  it.each(flavours('', 'gitdir: /'))(
    'while the link was being written as far as %j, leaves nothing',
    text => {
      const { site, record } = makeRecordedWorkspace();
      writeFileSync(join(record.path, '.git'), text);
      expect(site.settle()).toEqual([]);
    },
  );

  it('when the directory had its link but no registration in git, leaves nothing', () => {
    const { site, record, adminDir } = makeRecordedWorkspace();
    writeFileSync(join(record.path, '.git'), `gitdir: ${adminDir}\n`);
    mkdirSync(join(site.repository, '.git/carrel', record.id), { recursive: true });
    expect(site.settle()).toEqual([]);
  });

  it('when another process has created that directory since, leaves it alone', () => {
    const { site, record } = makeRecordedWorkspace();
    writeFileSync(join(record.path, 'thesis.txt'), 'years of work\n');
    site.carrel.ok(site.repository, 'ls');
    expect(readFileSync(join(record.path, 'thesis.txt'), 'utf8')).toBe('years of work\n');
    rmSync(record.path, { recursive: true });
    expect(readRecords(site.carrel.stateDir)).toMatchObject({ workspaces: [], journal: [], ports: [] });
  });

  it.each(flavours(false, true))(
    'and the recovery from it killed too (git had forgotten it: %s)',
    isForgotten => {
      const site = makeCrashSite();
      site.killAt('up:populated', 'up', 'a');
      // As far as a recovery had come that was killed: the files go out of reach first, then the registration goes.
      const [record] = readRecords(site.carrel.stateDir).workspaces;
      if (!record) throw new Error('there is no record');
      const aside = join(dirname(record.path), `.removing-${record.id}`);
      mkdirSync(aside);
      renameSync(record.path, join(aside, 'tree'));
      if (isForgotten) rmSync(join(site.repository, '.git/worktrees', record.id), { recursive: true });
      expect(site.settle()).toEqual([]);
      expect(readRecords(site.carrel.stateDir).snapshots).toEqual([]);
    },
  );
});
