import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationSteps } from '../../../src/domain/journal.js';
import { useRealProcesses } from '../../helpers/carrel.js';
import { type CrashSite, hashFiles, isHeld, makeCrashSite } from '../../helpers/crash/crash-site.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { oneInSix, sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { commitFiles, git, writeFiles } from '../../helpers/repository.js';

function makeLanding() {
  const site = makeCrashSite();
  const path = site.ok('up', 'a');
  const commit = commitFiles(path, { 'source/one.txt': 'landed\n', 'new/file.txt': 'new\n' });
  git(path, 'rm', '--quiet', 'source/two.txt');
  git(path, 'commit', '--quiet', '-m', 'remove');
  commitFiles(site.repository, { 'other.txt': 'meanwhile on main\n' });
  return { site, path, commit, before: git(site.repository, 'rev-parse', 'main') };
}

/** Whether it landed: entirely, with the user's checkout, or not at all. */
function hasLanded(site: CrashSite, commit: string, before: string): boolean {
  const tip = git(site.repository, 'rev-parse', 'main');
  const read = (name: string) => {
    const file = join(site.repository, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  const checkout = {
    status: git(site.repository, 'status', '--porcelain'),
    files: ['source/one.txt', 'source/two.txt', 'new/file.txt', 'other.txt'].map(read),
  };
  const landed = tip !== before;
  expect(checkout).toEqual({
    status: '',
    files: landed
      ? ['landed\n', null, 'new\n', 'meanwhile on main\n']
      : ['one\n', 'two\n', null, 'meanwhile on main\n'],
  });
  expect(git(site.repository, 'branch', '--list', 'main', '--contains', commit) !== '').toBe(landed);
  return landed;
}

describe('land, killed', () => {
  it.each(oneInSix(operationSteps.land))('at "%s", has landed entirely or not at all', step => {
    const { site, path, commit, before } = makeLanding();
    const user = fingerprint(site.repository);

    site.killAt(`land:${step}`, 'land', 'a');

    expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
    expect(isHeld(site.repository, commit)).toBe(true);
    const landed = hasLanded(site, commit, before);
    expect(landed).toBe(['moved', 'checked-out', 'done'].includes(step));
    if (landed) {
      expect(site.carrel.error(site.repository, 'land', 'a')).toMatchObject({ code: 'LAND_NOTHING' });
      site.ok('down', 'a');
    } else {
      expect(fingerprint(site.repository)).toEqual(user);
      site.ok('land', 'a');
    }
    expect(hasLanded(site, commit, before)).toBe(true);
    expect(existsSync(path)).toBe(false);
    expect(site.settle()).toEqual([]);
  });

  const REMOVAL = sampleOf(operationSteps.down, 'set-aside', 'unregistered');
  it.each(oneInSix(REMOVAL))('at "%s" of the removal that follows, has landed all the same', step => {
    const { site, commit, before } = makeLanding();

    site.killAt(`down:${step}`, 'land', 'a', '--squash', '-m', 'in one');

    const isThere = ['recorded', 'set-aside', 'captured'].includes(step);
    expect(site.settle()).toMatchObject(isThere ? [{ name: 'a', status: 'ready' }] : []);
    expect(git(site.repository, 'log', '-1', '--format=%s', 'main')).toBe('in one');
    expect(git(site.repository, 'status', '--porcelain')).toBe('');
    expect(git(site.repository, 'rev-parse', 'main')).not.toBe(before);
    expect(isHeld(site.repository, commit)).toBe(true);
    if (isThere) site.ok('down', 'a');
    expect(site.settle()).toEqual([]);
  });

  it.each(oneInSix(['recorded', 'merged', 'moved']))('at "%s" with uncommitted work, keeps that', step => {
    const { site, path, before } = makeLanding();
    writeFiles(path, { 'uncommitted.txt': 'not yet\n' });
    const hash = hashFiles(path);

    site.killAt(`land:${step}`, 'land', 'a', '-m', 'all of it');

    site.settle();
    expect(hashFiles(path)).toBe(hash);
    const landed = git(site.repository, 'rev-parse', 'main') !== before;
    expect(landed).toBe(step === 'moved');
    expect(existsSync(join(site.repository, 'uncommitted.txt'))).toBe(landed);
    expect(git(site.repository, 'status', '--porcelain')).toBe('');
  });

  thoroughTest('is undone when the user has worked in the checkout since', () => {
    const { site, commit, before } = makeLanding();
    site.killAt('land:moved', 'land', 'a');
    writeFiles(site.repository, { 'README.md': "the user's\n" });

    expect(site.settle()).toMatchObject([{ name: 'a' }]);

    expect(git(site.repository, 'rev-parse', 'main')).toBe(before);
    expect(git(site.repository, 'status', '--porcelain')).toBe(' M README.md');
    expect(isHeld(site.repository, commit)).toBe(true);
  });

  thoroughTest('is finished after another git has released the checkout', () => {
    // What was not settled is tried again when the process that tried has ended.
    useRealProcesses();
    const { site, commit, before } = makeLanding();
    const lock = join(site.repository, '.git/index.lock');
    site.killAt('land:moved', 'land', 'a');
    writeFileSync(lock, '');
    expect(site.carrel.run(site.repository, 'ls').stderr).toContain('index.lock');
    rmSync(lock);
    site.settle();
    expect(hasLanded(site, commit, before)).toBe(true);
  });

  thoroughTest('after the checkout has followed, leaves it to the user', () => {
    const { site, before } = makeLanding();
    site.killAt('land:checked-out', 'land', 'a');
    writeFiles(site.repository, { 'README.md': "the user's\n" });
    git(site.repository, 'add', 'README.md');
    site.settle();
    expect(git(site.repository, 'rev-parse', 'main')).not.toBe(before);
    expect(git(site.repository, 'status', '--porcelain')).toBe('M  README.md');
  });
});
