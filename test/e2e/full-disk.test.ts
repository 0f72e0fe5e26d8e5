import { createCipheriv } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCarrel } from '../helpers/carrel.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { sampleOf } from '../helpers/flavours.js';
import { findLeftovers } from '../helpers/leftovers.js';
import { describeRefusal } from '../helpers/refusal.js';
import { commitFiles, makeRepository, writeFiles } from '../helpers/repository.js';
import { mountSmallDisk, type SmallDisk } from '../helpers/small-disk.js';
import { tempDir } from '../helpers/temp.js';

// A disk that is full ends every command in one sentence; no work is lost, and when there is space again nothing is
// left of what could not be finished.

const FREE_DISK = 'workspace:\n  limits:\n    freeDisk: 0b\n';

/** Incompressible, so that it takes the room that it says. */
function noise(bytes: number): Buffer {
  const key = Buffer.alloc(32);
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

/** A command that has to fail for want of space. */
function expectFull(desk: Desk, disk: SmallDisk, ...args: string[]): void {
  const outcome = desk.run(...args, '--json');
  expect(describeRefusal(outcome, { disk: disk.path })).toMatch(
    /^DISK_FULL, exit status 4\nno space is left on the file system of <disk>/,
  );
  expect(outcome.stderr).toBe('');
}

function expectWorkSafe(desk: Desk): void {
  expect(readFileSync(join(desk.path, 'new.txt'), 'utf8')).toBe('precious\n');
  desk.ok('down', 'a', '--discard-changes');
  const path = desk.ok('restore', 'a');
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('precious\n');
  expect(findLeftovers(desk)).toEqual([]);
}

test('no room for the files of a workspace', context => {
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
    no space is left on the file system of <disk>/worktrees/repo/a
    hint: free some space there, then repeat the command"
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
  const desk = makeDesk({ carrel: createTidyCarrelOn(disk) });
  writeFiles(desk.path, { 'new.txt': 'precious\n' });
  disk.fill();
  expectFull(desk, disk, 'up', 'b');
  expectFull(desk, disk, 'snapshot', 'a');
  expectFull(desk, disk, 'down', 'a', '--discard-changes');
  disk.free();
  expectWorkSafe(desk);
});

test.for(sampleOf([84, 96, 128, 160], 96, 160))(
  'records that run out of room after %i KB',
  (kilobytes, context) => {
    const disk = mountSmallDisk(context, '900k');
    const desk = makeDesk({ carrel: createTidyCarrelOn(disk) });
    writeFiles(desk.path, { 'new.txt': 'precious\n' });
    disk.fill(kilobytes * 1024);
    const made = desk.run('up', 'b', '--json');
    const removed = desk.run('down', 'a', '--discard-changes', '--json');
    disk.free();
    for (const outcome of [made, removed])
      if (outcome.status !== 0) expect(describeRefusal(outcome)).toContain('DISK_FULL, exit status 4');
    const names = desk.carrel.json<{ name: string }[]>(desk.repository, 'ls').map(({ name }) => name);
    expect(names.includes('b')).toBe(made.status === 0);
    expect(findLeftovers(desk)).toEqual([]);
    // A removal that ran out of room after its snapshot stood is carried forward by the next command.
    if (!names.includes('a')) desk.ok('restore', 'a');
    expectWorkSafe(desk);
  },
);

test('no room in the repository', context => {
  const disk = mountSmallDisk(context, '2m');
  const repository = makeRepository({ 'README.md': 'hello\n' }, join(disk.path, 'repo'));
  const desk = makeDesk({ repository });
  writeFiles(desk.path, { 'new.txt': 'precious\n', 'large.bin': noise(100_000) });
  const before = fingerprint(repository);
  disk.fill();
  expectFull(desk, disk, 'up', 'b');
  expectFull(desk, disk, 'snapshot', 'a');
  expectFull(desk, disk, 'down', 'a', '--discard-changes');
  expectFull(desk, disk, 'land', 'a', '-m', 'land');
  expect(desk.run('diff', 'a', '--name-only').stdout).toBe('large.bin\nnew.txt\n');
  disk.free();
  desk.ok('ls');
  expect(fingerprint(repository)).toEqual(before);
  expect(findLeftovers(desk)).toEqual([]);
  expectWorkSafe(desk);
});

test('no room for what `init` writes: no half of a file stays, and the next one writes all', context => {
  const disk = mountSmallDisk(context, '1m');
  const repository = makeRepository({ 'README.md': 'hello\n' }, join(disk.path, 'repo'));
  const carrel = createCarrel();
  disk.fill();
  expect(describeRefusal(carrel.run(repository, 'init', '--json'))).toContain('DISK_FULL, exit status 4');
  disk.free();
  expect(carrel.json(repository, 'init')).toMatchObject({ kept: [] });
});

test('no room for temporary files', context => {
  const disk = mountSmallDisk(context, '600k');
  const desk = makeDesk({ carrel: createCarrel(tempDir(), { TMPDIR: disk.path }) });
  writeFiles(desk.path, { 'new.txt': 'precious\n' });
  disk.fill();
  expectFull(desk, disk, 'snapshot', 'a');
  expectFull(desk, disk, 'down', 'a', '--discard-changes');
  disk.free();
  desk.ok('ls');
  expect(readdirSync(disk.path)).toEqual([]);
  expectWorkSafe(desk);
});

function createTidyCarrelOn(disk: SmallDisk) {
  const home = tempDir();
  mkdirSync(join(home, 'tmp'));
  const stateDir = join(disk.path, 'state');
  return { ...createCarrel(home, { TMPDIR: join(home, 'tmp'), CARREL_STATE_DIR: stateDir }), stateDir };
}
