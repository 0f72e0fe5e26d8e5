import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import { recoverySteps } from '../../../src/domain/journal.js';
import type { RemovalResult } from '../../../src/domain/report/result.js';
import type { Remains } from '../../../src/domain/snapshot/remains.js';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.js';
import { useRealProcesses } from '../../helpers/carrel.js';
import { hashFiles, makeCrashSite } from '../../helpers/crash/crash-site.js';
import { flavours, sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { isRunning } from '../../helpers/machine/processes.js';
import { readRecords } from '../../helpers/records.js';
import { makeRepository } from '../../helpers/repository.js';
import { waitFor } from '../../helpers/wait-for.js';
import { createTidyCarrel, type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

// The process in the background takes over when the one that started it has ended.
beforeEach(useRealProcesses);

// A workspace with more files than are deleted at once: that is left to a process in the background.

const MANY = Object.fromEntries(
  Array.from({ length: 1100 }, (_, at) => [`folder-${at % 11}/file-${at}.txt`, `${at}\n`]),
);

const makeLargeFixture = (): Fixture =>
  makeFixture({ repository: makeRepository(MANY), carrel: createTidyCarrel() });

const remainsOf = (fixture: Fixture) => readRecords(fixture.carrel.stateDir).remains;

const untilSettled = (fixture: Fixture) =>
  waitFor('the process in the background', () => remainsOf(fixture).length === 0 || undefined);

/** Until the process that has them is dead; it leaves them to the next. */
async function untilOwnerIsDead(fixture: Fixture): Promise<void> {
  const [remains] = remainsOf(fixture);
  if (remains) await waitFor('its end', () => !isRunning(remains.owner_pid) || undefined);
}

test('the name is free at once, and the background process exits on its own and leaves nothing', async () => {
  const fixture = makeLargeFixture();
  const before = hashFiles(fixture.path);
  const { snapshot, warnings } = JSON.parse(fixture.ok('down', 'a', '--json')) as RemovalResult;
  expect(warnings).toEqual([]);
  expect(existsSync(fixture.path)).toBe(false);
  expect(fixture.ok('up', 'a')).toBe(fixture.path);
  const owners = remainsOf(fixture).map(({ owner_pid }) => owner_pid);
  await untilSettled(fixture);
  for (const pid of owners) await waitFor('its end', () => !isRunning(pid) || undefined);
  expect(findLeftovers(fixture)).toEqual([]);
  expect(hashFiles(fixture.ok('restore', String(snapshot), '--as', 'b'))).toBe(before);
});

thoroughTest('restoring right away waits for what the snapshot depends on', async () => {
  const fixture = makeLargeFixture();
  const before = hashFiles(fixture.path);
  fixture.ok('down', 'a');
  expect(hashFiles(fixture.ok('restore', 'a'))).toBe(before);
  expect(fixture.git('status', '--porcelain')).toBe('');
  await untilSettled(fixture);
  expect(findLeftovers(fixture)).toEqual([]);
});

describe('the process in the background, killed', () => {
  it.each(sampleOf(recoverySteps, 'judged'))(
    'at "%s", has lost nothing, and the next command sees to the rest',
    async step => {
      const fixture = makeLargeFixture();
      const before = hashFiles(fixture.path);
      const env = { CARREL_TEST_KILL_AT: `settle:${step}` };
      expect(fixture.carrel.runWith(env, fixture.repository, 'down', 'a').status).toBe(0);
      await untilOwnerIsDead(fixture);
      fixture.ok('ls');
      await untilSettled(fixture);
      await waitFor('an end without leftovers', () => findLeftovers(fixture).length === 0 || undefined);
      expect(hashFiles(fixture.ok('restore', 'a'))).toBe(before);
    },
  );
});

describe('what is written between the check and the move', () => {
  it.each(
    flavours<[string, Readonly<Record<string, string>>]>(
      ['few files', { 'README.md': 'hello\n', 'source/one.txt': 'one\n' }],
      ['many files', MANY],
    ),
  )('is in the reported snapshot, with %s', async (_, files) => {
    const fixture = makeFixture({ repository: makeRepository(files), carrel: createTidyCarrel() });
    const env = { CARREL_TEST_KILL_AT: 'down:unregistered' };
    expect(fixture.carrel.runWith(env, fixture.repository, 'down', 'a').signal).toBe('SIGKILL');
    // A process that opened the file before the move writes to its new place.
    writeFileSync(join(fixture.path, '..', `.removing-${fixture.id}`, 'tree', 'late.txt'), 'late\n');
    fixture.ok('ls');
    await untilSettled(fixture);
    const [snapshot] = readRecords(fixture.carrel.stateDir).snapshots;
    expect(snapshot).toMatchObject({ files: 1 });
    fixture.ok('restore', String(snapshot?.id));
    expect(fixture.git('status', '--porcelain', '--branch')).toBe('## carrel/a\n?? late.txt');
    expect(findLeftovers(fixture)).toEqual([]);
  });
});

thoroughTest(
  'a removal that was killed at its end is completed without touching files that have a new owner',
  async () => {
    const fixture = makeLargeFixture();
    const before = hashFiles(fixture.path);
    const env = { CARREL_TEST_KILL_AT: 'down:handed-over' };
    expect(fixture.carrel.runWith(env, fixture.repository, 'down', 'a').signal).toBe('SIGKILL');
    const store = await openSqliteStore({ file: join(fixture.carrel.stateDir, 'carrel.db'), now: Date.now });
    onTestFinished(() => store.close());
    const [left] = await store.remains.list();
    // This process is settling them, and lives.
    const self = identifyProcess(process.pid) as Remains['owner'];
    const ours = await store.remains.adopt(left as Remains, self);
    fixture.ok('ls');
    expect(await store.remains.list()).toEqual([ours]);
    expect(readRecords(fixture.carrel.stateDir)).toMatchObject({ workspaces: [], journal: [] });
    await store.remains.adopt(ours as Remains, (left as Remains).owner);
    fixture.ok('ls');
    await untilSettled(fixture);
    expect(hashFiles(fixture.ok('restore', 'a'))).toBe(before);
  },
);

test('with few files, killed at any step of settling, leaves nothing after the next command', () => {
  const site = makeCrashSite();
  for (const step of sampleOf(recoverySteps, 'adopted')) {
    const before = hashFiles(site.ok('up', 'a'));
    site.killAt(`settle:${step}`, 'down', 'a');
    expect(site.settle(step)).toEqual([]);
    expect(hashFiles(site.ok('restore', 'a'))).toBe(before);
    site.ok('down', 'a');
  }
});

thoroughTest('gc uses one background process for all, and removes the remains of others itself', async () => {
  const fixture = makeLargeFixture();
  fixture.ok('up', 'b');
  fixture.carrel.runWith(
    { CARREL_TEST_KILL_AT: 'settle:adopted' },
    fixture.repository,
    'gc',
    '--older-than',
    '0s',
    '--yes',
  );
  await untilOwnerIsDead(fixture);
  expect(new Set(remainsOf(fixture).map(({ owner_pid }) => owner_pid)).size).toBe(1);
  expect(remainsOf(fixture)).toHaveLength(2);
  fixture.ok('gc', '--yes');
  await untilSettled(fixture);
  expect(findLeftovers(fixture)).toEqual([]);
});
