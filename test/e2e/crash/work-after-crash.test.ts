import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import { useRealProcesses } from '../../helpers/carrel.js';
import { makeCrashSite } from '../../helpers/crash/crash-site.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git } from '../../helpers/repository.js';

// After a crash the user and their tools continue to work, so recovery finds a changed state.

test('work in a workspace whose creation was interrupted is kept in a snapshot', () => {
  const site = makeCrashSite();
  site.killAt('up:prepared', 'up', 'a');
  const path = join(site.carrel.cacheDir, 'worktrees/repo/a');
  writeFileSync(join(path, 'notes.txt'), 'an idea\n');
  expect(site.carrel.json(site.repository, 'ls')).toEqual([]);
  expect(existsSync(path)).toBe(false);
  const [snapshot] = site.carrel.json<Snapshot[]>(site.repository, 'snapshots');
  expect(snapshot).toMatchObject({ workspaceName: 'a', reason: 'rollback' });
  site.ok('restore', 'a');
  expect(readFileSync(join(path, 'notes.txt'), 'utf8')).toBe('an idea\n');
});

thoroughTest('a failing setup command leaves only a snapshot of its files', () => {
  const site = makeCrashSite();
  mkdirSync(join(site.carrel.home, 'config/carrel'), { recursive: true });
  const config = 'workspace:\n  setup: ["echo half > made.txt; exit 1"]\n';
  writeFileSync(join(site.carrel.home, 'config/carrel/config.yaml'), config);
  expect(site.carrel.error(site.repository, 'up', 'a')).toMatchObject({ status: 1, code: 'SETUP_FAILED' });
  expect(site.settle()).toEqual([]);
  site.ok('restore', 'a');
  expect(readFileSync(join(site.ok('path', 'a'), 'made.txt'), 'utf8')).toBe('half\n');
});

thoroughTest('a branch that moved after the snapshot is kept when the removal is completed', () => {
  const site = makeCrashSite();
  const path = site.ok('up', 'a');
  git(path, 'commit', '--quiet', '--allow-empty', '-m', 'given up');
  site.killAt('down:snapshotted', 'down', 'a', '--discard-commits');
  git(site.repository, 'checkout', '--quiet', '--ignore-other-worktrees', 'carrel/a');
  git(site.repository, 'commit', '--quiet', '--allow-empty', '-m', 'made since');
  git(site.repository, 'checkout', '--quiet', 'main');
  expect(site.carrel.json(site.repository, 'ls')).toEqual([]);
  expect(git(site.repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('made since');
});

thoroughTest(
  'files that cannot go back to their place stay where they are, and every command says so',
  () => {
    // What was not settled is tried again when the process that tried has ended.
    useRealProcesses();
    const site = makeCrashSite();
    const path = site.ok('up', 'a');
    writeFileSync(join(path, 'work.txt'), 'work\n');
    site.killAt('down:set-aside', 'down', 'a', '--discard-changes');
    mkdirSync(join(path, 'dist'), { recursive: true });
    const outcome = site.carrel.run(site.repository, 'ls');
    expect(outcome.status).toBe(0);
    expect(outcome.stderr).toContain('could not be cleaned up yet');
    expect(outcome.stderr).toMatch(/its files are at \S+\.removing-ws_/);
    expect(site.carrel.error(site.repository, 'down', 'a').code).toBe('WORKSPACE_BUSY');
    site.carrel.ok(site.repository, 'gc', '--older-than', '0s', '--yes');
    git(site.repository, 'worktree', 'prune');
    // Once what was in the way is gone, the next command puts them back.
    rmSync(path, { recursive: true });
    expect(site.settle()).toHaveLength(1);
    expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work\n');
  },
);

thoroughTest('an empty directory that a watcher recreated does not block it', () => {
  const site = makeCrashSite();
  const path = site.ok('up', 'a');
  writeFileSync(join(path, 'work.txt'), 'work\n');
  site.killAt('down:set-aside', 'down', 'a', '--discard-changes');
  mkdirSync(path);
  expect(site.settle()).toHaveLength(1);
  expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work\n');
});

thoroughTest('a repository that was renamed still has its snapshots', () => {
  const site = makeCrashSite();
  const path = site.ok('up', 'a');
  writeFileSync(join(path, 'work.txt'), 'work\n');
  site.ok('down', 'a', '--discard-changes');
  const [snapshot] = site.carrel.json<Snapshot[]>(site.repository, 'snapshots');
  const renamed = `${site.repository}-renamed`;
  renameSync(site.repository, renamed);
  const restored = site.carrel.ok(renamed, 'restore', (snapshot as Snapshot).id);
  expect(readFileSync(join(restored, 'work.txt'), 'utf8')).toBe('work\n');
});
