import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { useStorePrograms } from '../../../test/helpers/machine/store-programs.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { sampleEntry, sampleSnapshot, sampleWorkspace } from '../contract/sample-records.js';
import { openSqliteStore } from './open-sqlite-store.js';

// Whole processes, because a database is only really closed when its process ends (or its statements are garbage).
const start = useStorePrograms();

test('a file that is not a database is reported with what to do and left as it is', async () => {
  const file = join(tempDir(), 'carrel.db');
  writeFileSync(file, 'my shopping list\n'.repeat(500));
  await expectRefusal(file, 'STORE_CORRUPT');
  await expect(openSqliteStore({ file, now: Date.now })).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
    details: { file },
    hint: expect.stringContaining(`mv ${file} ${file}.damaged`),
  });
});

test('a text shorter than any database does not count as a new one', async () => {
  const file = join(tempDir(), 'carrel.db');
  writeFileSync(file, 'hello');
  await expectRefusal(file, 'STORE_CORRUPT');
});

test.each([100, 4096, 20_000])(
  'a database cut off after %i bytes is reported and left as it is',
  async length => {
    const file = await makeDatabase();
    truncateSync(file, length);
    await expectRefusal(file, 'STORE_CORRUPT');
  },
);

test('a database with overwritten pages is reported when they are read, and left as it is', async () => {
  const file = await makeDatabase();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xa5, 4096));
  await expectRefusal(file, 'STORE_CORRUPT');
});

test('a database of a newer Carrel is reported and left as it is', async () => {
  const file = await makeDatabase();
  setHeader(file, 60, 99);
  await expectRefusal(file, 'STORE_TOO_NEW');
});

test('a database of another program is reported and left as it is', async () => {
  const file = await makeDatabase();
  setHeader(file, 60, 0);
  setHeader(file, 68, 1234);
  await expectRefusal(file, 'STORE_CORRUPT');
});

test.each([
  ['workspaces', 'details', '{"repository": "cut o', 'workspaces'],
  ['workspaces', 'details', '[]', 'workspaces'],
  ['workspaces', 'details', '{"repository": "/home/me/api"}', 'workspaces'],
  ['snapshots', 'details', 'null', 'snapshots'],
  ['journal', 'data', '"text"', 'journal'],
] as const)('a row of %s whose %s is %s hides no other row', async (table, column, text, part) => {
  const file = join(tempDir(), 'carrel.db');
  const store = await openSqliteStore({ file, now: Date.now });
  const [one, other] = ['1', '2'];
  for (const n of [one, other]) {
    await store.workspaces.insert(sampleWorkspace({ id: `ws_${n}`, name: n, path: `/${n}` }), []);
    await store.snapshots.insert(sampleSnapshot({ id: `snap_${n}` }), []);
    await store.journal.begin({ ...sampleEntry(), id: `op_${n}` });
  }
  new Database(file).prepare(`update ${table} set ${column} = ? where id like '%_1'`).run([text]);
  expect((await store[part].list()).map(({ id }) => id)).toEqual([expect.stringMatching(/_2$/)]);
  const damaged = await store.damaged.list();
  expect(damaged).toEqual([
    {
      table,
      id: expect.stringMatching(/_1$/),
      problem: expect.stringMatching(new RegExp(`^row \\w+ of ${table} cannot be read: `)),
    },
  ]);
  for (const row of damaged) await store.damaged.remove(row);
  await store.damaged.remove({ table, id: damaged[0]?.id.replace('_1', '_2') as string, problem: '' });
  expect(await store.damaged.list()).toEqual([]);
  expect(await store[part].list()).toHaveLength(1);
  await store.close();
});

/** A healthy database of several pages, closed. */
async function makeDatabase(): Promise<string> {
  const file = join(tempDir(), 'carrel.db');
  const program = start(
    `const store = await openSqliteStore({ file: args[0], now: Date.now });
     const sample = JSON.parse(args[1]);
     for (let i = 0; i < 60; i++) await store.workspaces.insert({ ...sample, id: 'ws_' + i, name: 'n' + i, path: '/' + i }, []);
     await store.close();`,
    file,
    JSON.stringify(sampleWorkspace()),
  );
  expect(await program.ended).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(dirname(file))).toEqual(['carrel.db']);
  return file;
}

/** A number in the header: 60 is the version, 68 the application. https://www.sqlite.org/fileformat.html#the_database_header */
function setHeader(file: string, offset: number, value: number): void {
  const bytes = readFileSync(file);
  bytes.writeUInt32BE(value, offset);
  writeFileSync(file, bytes);
}

async function expectRefusal(file: string, code: string): Promise<void> {
  const before = readFileSync(file);
  const program = start(
    `try {
       const store = await openSqliteStore({ file: args[0], now: Date.now });
       await store.workspaces.list();
       print('opened');
     } catch (error) {
       print(error.code);
     }`,
    file,
  );
  expect(await program.ended).toEqual({ status: 0, lines: [code], stderr: '' });
  expect(readFileSync(file).equals(before), 'bytes unchanged').toBe(true);
  expect(readdirSync(dirname(file))).toEqual(['carrel.db']);
}
