import { Kysely, sql } from 'kysely';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { ImmediateDialect } from '../sqlite/immediate-dialect.js';
import { migrate } from './migrate.js';
import type { Migration } from './migrations.js';

const first: Migration = async db => {
  await sql`create table desks (name text)`.execute(db);
  await sql`insert into desks values ('window')`.execute(db);
};
const second: Migration = async db => {
  await sql`alter table desks add column lamps integer not null default 1`.execute(db);
};

test('each migration runs once, in order, and what was there stays', async () => {
  const run = openDatabase();
  await run([first]);
  await run([first]);
  await run([first, second]);
  expect(await run([first, second])).toEqual([{ name: 'window', lamps: 1 }]);
});

test('a migration that fails leaves the version before it, whole', async () => {
  const run = openDatabase();
  await run([first]);
  const broken: Migration = async db => {
    await second(db);
    await sql`insert into nothing values (1)`.execute(db);
  };
  await expect(run([first, broken])).rejects.toThrow();
  expect(await run([first, second])).toEqual([{ name: 'window', lamps: 1 }]);
});

test('a database that somebody has moved on is refused inside the transaction too', async () => {
  const run = openDatabase();
  await run([first, second]);
  await expect(run([first])).rejects.toMatchObject({
    code: 'STORE_TOO_NEW',
    details: { file: 'x.db', found: 2, known: 1 },
  });
});

/** Runs migrations on one database and gives what the table holds then. */
function openDatabase() {
  const db = new Kysely<unknown>({ dialect: new ImmediateDialect(new Database(':memory:')) });
  onTestFinished(() => db.destroy());
  return async (migrations: readonly Migration[]): Promise<unknown[]> => {
    await db.transaction().execute(transaction => migrate(transaction, 'x.db', migrations));
    return (await sql`select * from desks`.execute(db)).rows;
  };
}
