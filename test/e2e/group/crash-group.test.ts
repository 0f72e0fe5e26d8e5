import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFiles, isHeld } from '../../helpers/crash/crash-site.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { ALIASES, makeGroupSite } from '../../helpers/group/group-site.js';
import { commitFiles, git, writeFiles } from '../../helpers/repository.js';

/** Each step of each of the three parts. */
const timesThree = <Step extends string>(steps: readonly Step[]) =>
  steps.flatMap(step => [step, `${step}#2`, `${step}#3`] as const);

describe('a workspace with three repositories', () => {
  it.each(sampleOf(timesThree(['recorded', 'registered', 'populated', 'prepared'])))(
    'up, killed at "%s", leaves nothing and can be repeated',
    step => {
      const site = makeGroupSite();
      const before = site.fingerprints();
      site.killAt(`up:${step}`, 'up', 'login');
      expect(site.settle()).toEqual([]);
      expect(existsSync(join(site.carrel.cacheDir, 'worktrees'))).toBe(false);
      site.up();
      expect(site.settle()).toHaveLength(3);
      expect(site.fingerprints()).toEqual(before);
    },
  );

  thoroughTest('up, killed when all parts are ready, has made all of them', () => {
    const site = makeGroupSite();
    site.killAt('up:done', 'up', 'login');
    expect(site.settle()).toMatchObject([{ status: 'ready' }, { status: 'ready' }, { status: 'ready' }]);
    site.ok('down', 'login');
    expect(site.settle()).toEqual([]);
  });

  it.each(sampleOf(['recorded', 'merged', ...timesThree(['moved', 'checked-out']), 'done']))(
    'land, killed at "%s", has landed in all repositories or in none',
    step => {
      const site = makeGroupSite();
      const parts = site.up();
      const commits = Object.fromEntries(
        ALIASES.map(alias => [alias, commitFiles(parts[alias], { 'new.txt': `${alias}\n` })]),
      );
      const before = site.fingerprints();
      const tips = site.tips();

      site.killAt(`land:${step}`, 'land', 'login');

      expect(site.settle()).toHaveLength(3);
      const isLanded = step === 'done';
      expect(site.tips()).toEqual(isLanded ? commits : tips);
      for (const alias of ALIASES) {
        expect(git(site.repositories[alias], 'status', '--porcelain')).toBe('');
        expect(existsSync(join(site.repositories[alias], 'new.txt'))).toBe(isLanded);
        expect(isHeld(site.repositories[alias], commits[alias] as string)).toBe(true);
      }
      if (isLanded) return;
      for (const alias of ALIASES)
        expect(withoutLog(site.fingerprints()[alias])).toEqual(withoutLog(before[alias]));
      site.ok('land', 'login');
      expect(site.tips()).toEqual(commits);
      expect(site.settle()).toEqual([]);
    },
  );

  thoroughTest('a landing that was killed keeps what the user has committed on top since', () => {
    const site = makeGroupSite();
    const parts = site.up();
    commitFiles(parts.app, { 'new.txt': 'app\n' });
    commitFiles(parts.web, { 'new.txt': 'web\n' });
    site.killAt('land:checked-out', 'land', 'login');
    const own = commitFiles(site.repositories.app, { 'own.txt': "the user's\n" });
    const { stderr } = site.carrel.run(site.repositories.app, 'ls');
    expect(stderr).toContain('main of app keeps what was landed');
    expect(site.tips().app).toBe(own);
    expect(readFileSync(join(site.repositories.app, 'own.txt'), 'utf8')).toBe("the user's\n");
    site.ok('land', 'login');
    expect(site.settle()).toEqual([]);
  });

  it.each(
    sampleOf(
      timesThree(['recorded', 'set-aside', 'captured', 'snapshotted', 'unregistered', 'handed-over', 'done']),
      'unregistered#2',
    ),
  )('down, killed at "%s", has removed all parts or none, and loses nothing', step => {
    const site = makeGroupSite();
    const parts = site.up();
    const before = site.fingerprints();
    for (const alias of ALIASES) {
      commitFiles(parts[alias], { 'new.txt': `${alias}\n` });
      writeFiles(parts[alias], { 'draft.txt': alias, 'kept.log': alias });
    }
    const hashes = ALIASES.map(alias => hashFiles(parts[alias]));

    site.killAt(`down:${step}`, 'down', 'login', '--discard-changes', '--discard-commits');

    const left = site.settle();
    const isRemoved = /^(snapshotted|unregistered|handed-over|done)/.test(step);
    expect(left).toHaveLength(isRemoved ? 0 : 3);
    if (isRemoved) site.ok('restore', 'login');
    expect(ALIASES.map(alias => hashFiles(parts[alias]))).toEqual(hashes);
    expect(site.fingerprints()).toEqual(before);
    site.ok('down', 'login', '--discard-changes', '--discard-commits');
    expect(site.settle()).toEqual([]);
  });

  it.each(
    sampleOf(
      timesThree([
        'recorded',
        'set-aside',
        'captured',
        'snapshotted',
        'cleared',
        'populated',
        'prepared',
        'done',
      ]),
    ),
  )('reset, killed at "%s", has reset all parts or none', step => {
    const site = makeGroupSite();
    const parts = site.up();
    for (const alias of ALIASES) writeFiles(parts[alias], { 'draft.txt': alias });

    site.killAt(`reset:${step}`, 'reset', 'login', '--discard-changes');

    expect(site.settle()).toHaveLength(3);
    const isReset = !/^(recorded|set-aside|captured)/.test(step);
    for (const alias of ALIASES) expect(existsSync(join(parts[alias], 'draft.txt'))).toBe(!isReset);
    site.ok('down', 'login', '--discard-changes');
    expect(site.settle()).toEqual([]);
  });

  it.each(sampleOf(timesThree(['recorded', 'captured'])))(
    'snapshot, killed at "%s", has taken none',
    step => {
      const site = makeGroupSite();
      const parts = site.up();
      for (const alias of ALIASES) writeFiles(parts[alias], { 'draft.txt': alias });
      site.killAt(`snapshot:${step}`, 'snapshot', 'login');
      expect(site.settle()).toHaveLength(3);
      expect(site.carrel.json(site.repositories.app, 'snapshots', '--all')).toEqual([]);
    },
  );

  it.each(sampleOf(timesThree(['recorded', 'populated', 'prepared'])))(
    'restore, killed at "%s", leaves nothing but the snapshots, and can be repeated',
    step => {
      const site = makeGroupSite();
      const parts = site.up();
      for (const alias of ALIASES) writeFiles(parts[alias], { 'draft.txt': alias });
      const hashes = ALIASES.map(alias => hashFiles(parts[alias]));
      site.ok('down', 'login', '--discard-changes');
      site.killAt(`restore:${step}`, 'restore', 'login');
      expect(site.settle()).toEqual([]);
      site.ok('restore', 'login');
      expect(ALIASES.map(alias => hashFiles(parts[alias]))).toEqual(hashes);
    },
  );
});

/** Moving a branch and moving it back are two lines in its log, and write the index. */
const withoutLog = ({ headLog: _, index: __, ...rest }: Record<string, string>) => rest;
