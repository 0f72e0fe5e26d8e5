import { Kysely, sql } from 'kysely';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import type { Migration } from '../migrations/migrations.js';
import { ImmediateDialect } from './immediate-dialect.js';
import { migrate } from './migrate.js';

const first: Migration = async db => {
  await sql`create table rooms (name text)`.execute(db);
  await sql`insert into rooms values ('window')`.execute(db);
};
const second: Migration = async db => {
  await sql`alter table rooms add column lamps integer not null default 1`.execute(db);
};

test('each migration runs once, in order, and keeps the data', async () => {
  const run = openDatabase();
  await run([first]);
  await run([first]);
  await run([first, second]);
  expect(await run([first, second])).toEqual([{ name: 'window', lamps: 1 }]);
});

test('a failed migration leaves the previous version intact', async () => {
  const run = openDatabase();
  await run([first]);
  const broken: Migration = async db => {
    await second(db);
    await sql`insert into nothing values (1)`.execute(db);
  };
  await expect(run([first, broken])).rejects.toThrow();
  expect(await run([first, second])).toEqual([{ name: 'window', lamps: 1 }]);
});

test('a database that another process has migrated is refused inside the transaction too', async () => {
  const run = openDatabase();
  await run([first, second]);
  await expect(run([first])).rejects.toMatchObject({
    code: 'STORE_TOO_NEW',
    details: { file: 'x.db', found: 2, known: 1 },
  });
});

/** Runs migrations on one database and returns the content of the table. */
function openDatabase() {
  const db = new Kysely<unknown>({ dialect: new ImmediateDialect(new Database(':memory:')) });
  onTestFinished(() => db.destroy());
  return async (migrations: readonly Migration[]): Promise<unknown[]> => {
    await db.transaction().execute(transaction => migrate(transaction, 'x.db', migrations));
    return (await sql`select * from rooms`.execute(db)).rows;
  };
}
