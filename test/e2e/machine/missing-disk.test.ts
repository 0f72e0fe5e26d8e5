import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { GcReport, RemovalResult } from '../../../src/domain/report/result.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { createCarrel, useRealProcesses } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { mountSmallDisk } from '../../helpers/machine/small-disk.js';
import { makeRepository } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel, makeFixture } from '../../helpers/workspace/test-workspace.js';

test.for([
  ['with nothing in its place', (cache: string) => rmSync(cache, { recursive: true })],
  ['with an empty directory in its place', () => undefined],
  [
    'with a new workspace in its place',
    (cache: string) => mkdirSync(join(cache, 'worktrees', 'repo'), { recursive: true }),
  ],
] as const)('a cache disk that is not mounted, %s: no workspace on it is removed', ([, replace], context) => {
  const carrel = createTidyCarrel();
  const disk = mountSmallDisk(context, '20m');
  const mount = () => expect(spawnSync('mount', ['--bind', disk.path, carrel.cacheDir]).status).toBe(0);
  const unmount = () => expect(spawnSync('umount', [carrel.cacheDir]).status).toBe(0);
  mkdirSync(carrel.cacheDir, { recursive: true });
  mount();
  const fixture = makeFixture({ carrel, config: 'workspace:\n  limits:\n    freeDisk: 0b\n' });
  writeFileSync(join(fixture.path, 'work.txt'), 'work\n');
  unmount();
  replace(carrel.cacheDir);
  const refused = carrel.error(fixture.repository, 'down', 'a');
  expect(refused).toMatchObject({ code: 'REMOVAL_REFUSED' });
  expect(refused.message).toContain('their disk may not be mounted');
  const report = carrel.json<GcReport>(fixture.repository, 'gc', '--older-than', '0s', '--yes');
  expect(report.items).toMatchObject([{ name: 'a', outcome: 'kept' }]);
  mkdirSync(carrel.cacheDir, { recursive: true });
  mount();
  onTestFinished(() => void spawnSync('umount', ['--lazy', carrel.cacheDir]));
  expect(carrel.json<WorkspaceDetails[]>(fixture.repository, 'ls')).toMatchObject([
    { name: 'a', warnings: [], changes: { untracked: 1 } },
  ]);
  expect(readFileSync(join(fixture.path, 'work.txt'), 'utf8')).toBe('work\n');
});

thoroughTest('files on an unmounted disk are reported as in no snapshot, and stay on the disk', context => {
  const carrel = createTidyCarrel();
  const disk = mountSmallDisk(context, '20m');
  mkdirSync(carrel.cacheDir, { recursive: true });
  expect(spawnSync('mount', ['--bind', disk.path, carrel.cacheDir]).status).toBe(0);
  const fixture = makeFixture({ carrel, config: 'workspace:\n  limits:\n    freeDisk: 0b\n' });
  writeFileSync(join(fixture.path, 'work.txt'), 'work\n');
  expect(spawnSync('umount', [carrel.cacheDir]).status).toBe(0);
  expect(carrel.error(fixture.repository, 'down', 'a').hint).toBe(
    'mount the disk and try again; to give up its files: carrel down a --discard-changes',
  );
  const { warnings } = carrel.json<RemovalResult>(fixture.repository, 'down', 'a', '--discard-changes');
  expect(warnings).toEqual([
    `none of its files are in a snapshot; they stay on their disk at ${fixture.path}`,
  ]);
  const kept = join(disk.path, relative(carrel.cacheDir, fixture.path), 'work.txt');
  expect(readFileSync(kept, 'utf8')).toBe('work\n');
});

test('a workspace that was deleted by hand, its folder still there, is removed as before', () => {
  const fixture = makeFixture();
  fixture.ok('up', 'other');
  rmSync(fixture.path, { recursive: true });
  fixture.ok('down', 'a');
  expect(existsSync(fixture.path)).toBe(false);
});

test('with a full state disk, records can be read, and every write is refused with one sentence', context => {
  useRealProcesses();
  const disk = mountSmallDisk(context, '600k');
  const carrel = createCarrel(tempDir(), { CARREL_STATE_DIR: disk.path });
  const repository = makeRepository({ 'README.md': 'hello\n' });
  const path = carrel.ok(repository, 'up', 'a', '--isolation', 'worktree');
  writeFileSync(join(path, 'work.txt'), 'work\n');
  disk.fill();
  expect(carrel.json(repository, 'ls')).toMatchObject([{ name: 'a', changes: { untracked: 1 } }]);
  expect(carrel.ok(repository, 'diff', 'a')).toContain('work.txt');
  expect(carrel.ok(repository, 'path', 'a')).toBe(path);
  expect(carrel.json(repository, 'snapshots')).toEqual([]);
  for (const args of [
    ['up', 'b'],
    ['down', 'a', '--discard-changes'],
    ['snapshot', 'a'],
  ])
    expect(carrel.error(repository, ...args)).toMatchObject({ code: 'DISK_FULL' });
  disk.free();
  carrel.ok(repository, 'down', 'a', '--discard-changes');
  expect(readFileSync(join(carrel.ok(repository, 'restore', 'a'), 'work.txt'), 'utf8')).toBe('work\n');
});
