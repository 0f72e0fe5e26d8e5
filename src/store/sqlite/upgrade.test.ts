import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { migrations } from '../migrations/migrations.js';
import { openSqliteStore } from './open-sqlite-store.js';

// Dumps of databases that Carrel's own commands wrote at earlier commits: one for every format that rows ever had.
const FIXTURES = resolve(import.meta.dirname, '../../../test/fixtures/databases');
const fixtures = readdirSync(FIXTURES).sort();
const tables = ['workspaces', 'snapshots', 'journal', 'remains', 'slots', 'tasks', 'events'] as const;

test('there is a database of every version', () => {
  const versions = fixtures.map(name => versionOf(loadFixture(name)));
  expect(new Set(versions)).toEqual(new Set(migrations.map((_, index) => index + 1)));
});

test.each(fixtures)('%s: every row of an earlier Carrel is read', async name => {
  const file = loadFixture(name);
  const before = countRows(file);
  const store = await openSqliteStore({ file, now: Date.now });
  expect(await store.damaged.list()).toEqual([]);
  const found = {
    workspaces: (await store.workspaces.list()).length,
    snapshots: (await store.snapshots.list()).length,
    journal: (await store.journal.list()).length,
    remains: (await store.remains.list()).length,
    slots: (await store.slots.list()).slots.length,
    tasks: (await store.tasks.list()).length,
    events: (await store.events.list({ limit: 10_000 })).length,
  };
  await store.close();
  expect(found).toEqual(before);
  expect(before.workspaces).toBeGreaterThan(0);
});

test.each(fixtures)('%s: a copy is kept before the tables change', async name => {
  const file = loadFixture(name);
  const version = versionOf(file);
  const before = countRows(file);
  await (await openSqliteStore({ file, now: Date.now })).close();
  const copy = `${file}.version-${version}`;
  expect(existsSync(copy)).toBe(version < migrations.length);
  if (!existsSync(copy)) return;
  expect(versionOf(copy)).toBe(version);
  expect(countRows(copy)).toEqual(before);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await (await openSqliteStore({ file, now: Date.now })).close();
  const copies = readdirSync(resolve(file, '..')).filter(each => each.includes('version'));
  expect(copies).toEqual([basename(copy)]);
});

test('an older Carrel finds the copy that was kept before the upgrade', async () => {
  const file = loadFixture(fixtures[0] as string);
  await (await openSqliteStore({ file, now: Date.now })).close();
  const known = migrations.length;
  new Database(file).exec(`pragma user_version = ${known + 1}`);
  new Database(file).exec(`vacuum into '${file}.version-${known}'`);
  await expect(openSqliteStore({ file, now: Date.now })).rejects.toMatchObject({
    code: 'STORE_TOO_NEW',
    details: { copy: `${file}.version-${known}` },
    hint: expect.stringContaining(`${file}.version-${known}`),
  });
});

function loadFixture(name: string): string {
  const file = join(tempDir(), 'carrel.db');
  const database = new Database(file);
  database.exec(readFileSync(join(FIXTURES, name), 'utf8'));
  database.exec('pragma journal_mode = wal');
  database.close();
  return file;
}

function versionOf(file: string): number {
  const [row] = new Database(file).prepare('pragma user_version').all() as { user_version: number }[];
  return row?.user_version ?? 0;
}

/** A table that is not there yet has no rows. */
function countRows(file: string): Record<string, number> {
  const database = new Database(file);
  const known = database.prepare("select name from sqlite_schema where type = 'table'").all() as {
    name: string;
  }[];
  const count = (table: string) => (database.prepare(`select id from ${table}`).all() as unknown[]).length;
  const countEvents = () => (database.prepare('select sequence from events').all() as unknown[]).length;
  return Object.fromEntries(
    tables.map(table => {
      if (!known.some(({ name }) => name === table)) return [table, 0];
      return [table, table === 'events' ? countEvents() : count(table)];
    }),
  );
}
