import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { settleSteps } from '../../src/domain/journal.js';
import type { Remains } from '../../src/domain/remains.js';
import type { RemovalResult } from '../../src/domain/result.js';
import { identifyProcess } from '../../src/exec/process-identity.js';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.js';
import { hashFiles, makeCrashSite } from '../helpers/crash-site.js';
import { createTidyCarrel, type Desk, makeDesk } from '../helpers/desk.js';
import { sampleOf, thoroughTest } from '../helpers/flavours.js';
import { findLeftovers } from '../helpers/leftovers.js';
import { readRecords } from '../helpers/records.js';
import { makeRepository } from '../helpers/repository.js';
import { waitFor } from '../helpers/wait-for.js';

// A workspace with more files than are deleted at once: that is left to a process in the background.

const MANY = Object.fromEntries(
  Array.from({ length: 1100 }, (_, at) => [`folder-${at % 11}/file-${at}.txt`, `${at}\n`]),
);

const makeLargeDesk = (): Desk => makeDesk({ repository: makeRepository(MANY), carrel: createTidyCarrel() });

const remainsOf = (desk: Desk) => readRecords(desk.carrel.stateDir).remains;

const untilSettled = (desk: Desk) =>
  waitFor('the process in the background', () => remainsOf(desk).length === 0 || undefined);

/** Until the process that has them is dead; it leaves them to the next. */
async function untilOwnerIsDead(desk: Desk): Promise<void> {
  const [remains] = remainsOf(desk);
  if (remains) await waitFor('its end', () => !existsSync(`/proc/${remains.owner_pid}`) || undefined);
}

test('the name is free at once, and the process in the background ends by itself and leaves nothing', async () => {
  const desk = makeLargeDesk();
  const before = hashFiles(desk.path);
  const { snapshot, warnings } = JSON.parse(desk.ok('down', 'a', '--json')) as RemovalResult;
  expect(warnings).toEqual([]);
  expect(existsSync(desk.path)).toBe(false);
  expect(desk.ok('up', 'a')).toBe(desk.path);
  const owners = remainsOf(desk).map(({ owner_pid }) => owner_pid);
  await untilSettled(desk);
  for (const pid of owners) await waitFor('its end', () => !existsSync(`/proc/${pid}`) || undefined);
  expect(findLeftovers(desk)).toEqual([]);
  expect(hashFiles(desk.ok('restore', String(snapshot), '--as', 'b'))).toBe(before);
});

test('restoring right away waits for what the snapshot depends on', async () => {
  const desk = makeLargeDesk();
  const before = hashFiles(desk.path);
  desk.ok('down', 'a');
  expect(hashFiles(desk.ok('restore', 'a'))).toBe(before);
  expect(desk.git('status', '--porcelain')).toBe('');
  await untilSettled(desk);
  expect(findLeftovers(desk)).toEqual([]);
});

describe('the process in the background, killed', () => {
  it.each(sampleOf(settleSteps, 'judged'))(
    'at "%s", has lost nothing, and the next command sees to the rest',
    async step => {
      const desk = makeLargeDesk();
      const before = hashFiles(desk.path);
      const env = { CARREL_TEST_KILL_AT: `settle:${step}` };
      expect(desk.carrel.runWith(env, desk.repository, 'down', 'a').status).toBe(0);
      await untilOwnerIsDead(desk);
      desk.ok('ls');
      await untilSettled(desk);
      await waitFor('an end without leftovers', () => findLeftovers(desk).length === 0 || undefined);
      expect(hashFiles(desk.ok('restore', 'a'))).toBe(before);
    },
  );
});

describe('what is written between the look and the move', () => {
  it.each([
    ['few files', { 'README.md': 'hello\n', 'source/one.txt': 'one\n' }],
    ['many files', MANY],
  ])('is in the snapshot that was told, with %s', async (_, files) => {
    const desk = makeDesk({ repository: makeRepository(files), carrel: createTidyCarrel() });
    const env = { CARREL_TEST_KILL_AT: 'down:unregistered' };
    expect(desk.carrel.runWith(env, desk.repository, 'down', 'a').signal).toBe('SIGKILL');
    // Whoever had the file open before the move writes to where it is now.
    writeFileSync(join(desk.path, '..', `.removing-${desk.id}`, 'tree', 'late.txt'), 'late\n');
    desk.ok('ls');
    await untilSettled(desk);
    const [snapshot] = readRecords(desk.carrel.stateDir).snapshots;
    expect(snapshot).toMatchObject({ files: 1 });
    desk.ok('restore', String(snapshot?.id));
    expect(desk.git('status', '--porcelain', '--branch')).toBe('## carrel/a\n?? late.txt');
    expect(findLeftovers(desk)).toEqual([]);
  });
});

test('a removal that was killed at its end is settled without taking the files from who has them now', async () => {
  const desk = makeLargeDesk();
  const before = hashFiles(desk.path);
  const env = { CARREL_TEST_KILL_AT: 'down:handed-over' };
  expect(desk.carrel.runWith(env, desk.repository, 'down', 'a').signal).toBe('SIGKILL');
  const store = await openSqliteStore({ file: join(desk.carrel.stateDir, 'carrel.db'), now: Date.now });
  onTestFinished(() => store.close());
  const [left] = await store.remains.list();
  // This process is settling them, and lives.
  const self = identifyProcess(process.pid) as Remains['owner'];
  const ours = await store.remains.adopt(left as Remains, self);
  desk.ok('ls');
  expect(await store.remains.list()).toEqual([ours]);
  expect(readRecords(desk.carrel.stateDir)).toMatchObject({ workspaces: [], journal: [] });
  await store.remains.adopt(ours as Remains, (left as Remains).owner);
  desk.ok('ls');
  await untilSettled(desk);
  expect(hashFiles(desk.ok('restore', 'a'))).toBe(before);
});

test('with few files, killed at any step of settling, leaves nothing after the next command', () => {
  const site = makeCrashSite();
  for (const step of sampleOf(settleSteps, 'adopted', 'deleted')) {
    const before = hashFiles(site.ok('up', 'a'));
    site.killAt(`settle:${step}`, 'down', 'a');
    expect(site.settle(step)).toEqual([]);
    expect(hashFiles(site.ok('restore', 'a'))).toBe(before);
    site.ok('down', 'a');
  }
});

thoroughTest(
  'gc has one process in the background for all, and settles what is left of others itself',
  async () => {
    const desk = makeLargeDesk();
    desk.ok('up', 'b');
    desk.carrel.runWith(
      { CARREL_TEST_KILL_AT: 'settle:adopted' },
      desk.repository,
      'gc',
      '--older-than',
      '0s',
      '--yes',
    );
    await untilOwnerIsDead(desk);
    expect(new Set(remainsOf(desk).map(({ owner_pid }) => owner_pid)).size).toBe(1);
    expect(remainsOf(desk)).toHaveLength(2);
    desk.ok('gc', '--yes');
    await untilSettled(desk);
    expect(findLeftovers(desk)).toEqual([]);
  },
);
