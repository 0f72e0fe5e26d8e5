import { createCipheriv } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createCarrel, useRealProcesses } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { mountSmallDisk, type SmallDisk } from '../../helpers/machine/small-disk.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { describeRefusal } from '../../helpers/workspace/refusal.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

// What a command could not finish is the next one’s to settle once its process has ended.
beforeEach(useRealProcesses);

// A disk that is full ends every command in one sentence; no work is lost, and when there is space again nothing is
// left of what could not be finished.

const FREE_DISK = 'workspace:\n  limits:\n    freeDisk: 0b\n';

/** Incompressible, so that it takes the room that it says. */
function noise(bytes: number): Buffer {
  const key = Buffer.alloc(32);
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

/** A command that has to fail for want of space. */
function expectFull(fixture: Fixture, disk: SmallDisk, ...args: string[]): void {
  const outcome = fixture.run(...args, '--json');
  expect(describeRefusal(outcome, { disk: disk.path })).toMatch(
    /^DISK_FULL, exit status 4\nno space left on the file system of <disk>/,
  );
  expect(outcome.stderr).toBe('');
}

function expectWorkSafe(fixture: Fixture): void {
  expect(readFileSync(join(fixture.path, 'new.txt'), 'utf8')).toBe('precious\n');
  fixture.ok('down', 'a', '--discard-changes');
  const path = fixture.ok('restore', 'a');
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('precious\n');
  expect(findLeftovers(fixture)).toEqual([]);
}

thoroughTest('no room for the files of a workspace', context => {
  const disk = mountSmallDisk(context, '600k');
  const home = tempDir();
  const carrel = createCarrel(home, { CARREL_CACHE_DIR: disk.path });
  writeFiles(home, { 'config/carrel/config.yaml': FREE_DISK });
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}.bin`, noise(20_000)]));
  const repository = makeRepository();
  commitFiles(repository, files);
  const before = fingerprint(repository);
  const outcome = carrel.run(repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { disk: disk.path })).toMatchInlineSnapshot(`
    "DISK_FULL, exit status 4
    no space left on the file system of <disk>/worktrees/repo/a
    hint: free some space there, then run the command again"
  `);
  expect(readdirSync(disk.path)).toEqual([]);
  expect(fingerprint(repository)).toEqual(before);
  expect(carrel.json(repository, 'ls')).toEqual([]);
});

test('one file that is larger than all the room there is', context => {
  const disk = mountSmallDisk(context, '4m');
  const home = tempDir();
  const carrel = createCarrel(home, { CARREL_CACHE_DIR: disk.path });
  writeFiles(home, { 'config/carrel/config.yaml': FREE_DISK });
  const repository = makeRepository();
  commitFiles(repository, { 'large.bin': noise(5_000_000) });
  const outcome = carrel.run(repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome)).toContain('DISK_FULL, exit status 4');
  expect(readdirSync(disk.path)).toEqual([]);
});

test('no room for the records', context => {
  const disk = mountSmallDisk(context, '600k');
  const fixture = makeFixture({ carrel: createTidyCarrelOn(disk) });
  writeFiles(fixture.path, { 'new.txt': 'precious\n' });
  disk.fill();
  expectFull(fixture, disk, 'up', 'b');
  expectFull(fixture, disk, 'snapshot', 'a');
  expectFull(fixture, disk, 'down', 'a', '--discard-changes');
  disk.free();
  expectWorkSafe(fixture);
});

test.for(sampleOf([84, 96, 128, 160]))('records that run out of room after %i KB', (kilobytes, context) => {
  const disk = mountSmallDisk(context, '900k');
  const fixture = makeFixture({ carrel: createTidyCarrelOn(disk) });
  writeFiles(fixture.path, { 'new.txt': 'precious\n' });
  disk.fill(kilobytes * 1024);
  const made = fixture.run('up', 'b', '--json');
  const removed = fixture.run('down', 'a', '--discard-changes', '--json');
  disk.free();
  for (const outcome of [made, removed])
    if (outcome.status !== 0) expect(describeRefusal(outcome)).toContain('DISK_FULL, exit status 4');
  const names = fixture.carrel.json<{ name: string }[]>(fixture.repository, 'ls').map(({ name }) => name);
  expect(names.includes('b')).toBe(made.status === 0);
  expect(findLeftovers(fixture)).toEqual([]);
  // A removal that ran out of room after its snapshot stood is carried forward by the next command.
  if (!names.includes('a')) fixture.ok('restore', 'a');
  expectWorkSafe(fixture);
});

thoroughTest('no room in the repository', context => {
  const disk = mountSmallDisk(context, '2m');
  const repository = makeRepository({ 'README.md': 'hello\n' }, join(disk.path, 'repo'));
  const fixture = makeFixture({ repository });
  writeFiles(fixture.path, { 'new.txt': 'precious\n', 'large.bin': noise(100_000) });
  const before = fingerprint(repository);
  disk.fill();
  expectFull(fixture, disk, 'up', 'b');
  expectFull(fixture, disk, 'snapshot', 'a');
  expectFull(fixture, disk, 'down', 'a', '--discard-changes');
  expectFull(fixture, disk, 'land', 'a', '-m', 'land');
  expect(fixture.run('diff', 'a', '--name-only').stdout).toBe('large.bin\nnew.txt\n');
  const objects = readdirSync(join(repository, '.git/objects'), { recursive: true });
  expect(objects.filter(path => String(path).includes('tmp_'))).toEqual([]);
  disk.free();
  fixture.ok('ls');
  expect(fingerprint(repository)).toEqual(before);
  expect(findLeftovers(fixture)).toEqual([]);
  expectWorkSafe(fixture);
});

thoroughTest(
  'a full disk during `init` leaves no partial file, and the next run writes all files',
  context => {
    const disk = mountSmallDisk(context, '1m');
    const repository = makeRepository({ 'README.md': 'hello\n' }, join(disk.path, 'repo'));
    const carrel = createCarrel();
    disk.fill();
    expect(describeRefusal(carrel.run(repository, 'init', '--json'))).toContain('DISK_FULL, exit status 4');
    disk.free();
    expect(carrel.json(repository, 'init')).toMatchObject({ kept: [] });
  },
);

thoroughTest('no room for temporary files', context => {
  const disk = mountSmallDisk(context, '600k');
  const fixture = makeFixture({ carrel: createCarrel(tempDir(), { TMPDIR: disk.path }) });
  writeFiles(fixture.path, { 'new.txt': 'precious\n' });
  disk.fill();
  expectFull(fixture, disk, 'snapshot', 'a');
  expectFull(fixture, disk, 'down', 'a', '--discard-changes');
  disk.free();
  fixture.ok('ls');
  expect(readdirSync(disk.path)).toEqual([]);
  expectWorkSafe(fixture);
});

function createTidyCarrelOn(disk: SmallDisk) {
  const home = tempDir();
  mkdirSync(join(home, 'tmp'));
  const stateDir = join(disk.path, 'state');
  return { ...createCarrel(home, { TMPDIR: join(home, 'tmp'), CARREL_STATE_DIR: stateDir }), stateDir };
}

thoroughTest('a full disk during landing keeps the workspace and leaves no partial snapshot', context => {
  const disk = mountSmallDisk(context, '600k');
  const home = tempDir();
  const carrel = createCarrel(home, { CARREL_CACHE_DIR: disk.path });
  writeFiles(home, { 'config/carrel/config.yaml': FREE_DISK });
  const repository = makeRepository();
  git(repository, 'branch', 'other');
  commitFiles(repository, { 'more.txt': 'more\n' });
  const path = carrel.ok(repository, 'up', 'a', '--isolation', 'worktree');
  disk.fill();
  const outcome = carrel.run(repository, 'land', 'a', '--into', 'other');
  disk.free();
  expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining('the workspace was kept') });
  expect(git(repository, 'for-each-ref', 'refs/carrel/snapshots')).toBe('');
  expect(readFileSync(join(path, 'more.txt'), 'utf8')).toBe('more\n');
  carrel.ok(repository, 'down', 'a');
});
