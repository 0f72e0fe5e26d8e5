import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { flavours } from '../../../test/helpers/flavours.js';
import { useStorePrograms } from '../../../test/helpers/machine/store-programs.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { sampleEntry, sampleWorkspace, someProcess } from '../contract/sample-records.js';
import { withRepositoryLock } from '../lock-repository.js';
import { openSqliteStore } from './open-sqlite-store.js';

const start = useStorePrograms();

const LOCK_OPTIONS = `
const options = store => ({
  store, repositoryId: '1', repositoryName: 'api', now: Date.now,
  owner: { pid: process.pid, startedAt: '0', realm: 'here' },
  isAlive: ({ pid }) => { try { process.kill(pid, 0); return 'alive'; } catch { return 'dead'; } },
  createToken: () => process.pid + '-' + Math.random(),
});
`;

test.each(flavours(16, 64))(
  '%i processes that open a database which is not there yet all succeed',
  async count => {
    const file = join(tempDir(), 'state', 'carrel.db');
    const programs = Array.from({ length: count }, (_, i) =>
      start(
        `print('ready');
       await go();
       const store = await openSqliteStore({ file: args[0], now: Date.now });
       await store.ports.claim(Number(args[1]), 'ws');
       await store.close();`,
        file,
        String(i),
      ),
    );
    await Promise.all(programs.map(program => program.printed('ready')));
    for (const program of programs) program.go();
    for (const program of programs)
      expect(await program.ended).toEqual({ status: 0, lines: ['ready'], stderr: '' });
    const store = await openSqliteStore({ file, now: Date.now });
    expect(await store.ports.list()).toHaveLength(count);
    await store.close();
  },
);

test('processes that write to one database at once lose no update and never see it busy', async () => {
  const file = join(tempDir(), 'carrel.db');
  const store = await openSqliteStore({ file, now: Date.now });
  await store.journal.begin(sampleEntry());
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const programs = names.map(name =>
    start(
      `const store = await openSqliteStore({ file: args[0], now: Date.now });
       print('ready');
       await go();
       for (let i = 0; i < 40; i++) {
         await store.journal.advance(args[1], JSON.parse(args[3]), 'registered', { [args[2] + i]: i });
         await store.events.append([{ type: 'recovery.done', repositoryId: null, workspaceId: null, data: { from: args[2], i } }]);
         await store.workspaces.list();
       }
       await store.close();`,
      file,
      sampleEntry().id,
      name,
      JSON.stringify(sampleEntry().owner),
    ),
  );
  await Promise.all(programs.map(program => program.printed('ready')));
  for (const program of programs) program.go();
  for (const program of programs) expect(await program.ended).toMatchObject({ status: 0, stderr: '' });
  const merged = (await store.journal.list())[0]?.data ?? {};
  expect(Object.keys(merged)).toHaveLength(Object.keys(sampleEntry().data).length + 8 * 40);
  const events = await store.events.list({ limit: 1000 });
  for (const name of names) {
    const own = events.filter(event => event.data.from === name).map(event => event.data.i);
    expect(own, `events of ${name} in order`).toEqual(Array.from({ length: 40 }, (_, i) => i));
  }
  await store.close();
});

test('the lock of a repository is never held by two processes at once', async () => {
  const directory = tempDir();
  writeFileSync(join(directory, 'count'), '0');
  const programs = Array.from({ length: 8 }, () =>
    start(
      `import { openSync, closeSync, readFileSync, writeFileSync, unlinkSync } from 'node:fs';
       import { setImmediate } from 'node:timers/promises';
       ${LOCK_OPTIONS}
       const store = await openSqliteStore({ file: args[0] + '/carrel.db', now: Date.now });
       print('ready');
       await go();
       for (let i = 0; i < 15; i++) {
         await withRepositoryLock(options(store), async () => {
           closeSync(openSync(args[0] + '/inside', 'wx'));
           const count = Number(readFileSync(args[0] + '/count', 'utf8'));
           await setImmediate();
           writeFileSync(args[0] + '/count', String(count + 1));
           unlinkSync(args[0] + '/inside');
         });
       }
       await store.close();`,
      directory,
    ),
  );
  await Promise.all(programs.map(program => program.printed('ready')));
  for (const program of programs) program.go();
  for (const program of programs) expect(await program.ended).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(directory, 'count'), 'utf8')).toBe(String(8 * 15));
});

test('the lock of a process that was killed is taken over at once', async () => {
  const file = join(tempDir(), 'carrel.db');
  const holder = start(
    `${LOCK_OPTIONS}
     const store = await openSqliteStore({ file: args[0], now: Date.now });
     await withRepositoryLock(options(store), async () => {
       print('held');
       await new Promise(resolve => setTimeout(resolve, 600_000));
     });`,
    file,
  );
  await holder.printed('held');
  const store = await openSqliteStore({ file, now: Date.now });
  const options = {
    store,
    repositoryId: '1',
    repositoryName: 'api',
    owner: someProcess,
    isAlive: ({ pid }: { pid: number }) => (isRunning(pid) ? ('alive' as const) : ('dead' as const)),
    createToken: () => 'the-heir',
    now: Date.now,
  };
  await expect(withRepositoryLock({ ...options, timeoutMs: 50 }, async () => 'mine')).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
    details: { repository: 'api', owner: `process ${holder.pid}` },
  });
  holder.kill();
  await holder.ended;
  expect(await withRepositoryLock({ ...options, timeoutMs: 0 }, async () => 'mine')).toBe('mine');
  await store.close();
});

test('processes killed while they write leave whole changes only', async () => {
  const file = join(tempDir(), 'carrel.db');
  const store = await openSqliteStore({ file, now: Date.now });
  const writers = ['a', 'b', 'c'].map(name =>
    start(
      `const store = await openSqliteStore({ file: args[0], now: Date.now });
       const sample = JSON.parse(args[1]);
       for (let i = 0; ; i++) {
         const id = 'ws_' + args[2] + i;
         const event = { type: 'workspace.creating', repositoryId: null, workspaceId: id, data: {} };
         await store.workspaces.insert({ ...sample, id, name: id, path: '/' + id }, [event, event]);
         if (i === 20) print('busy');
       }`,
      file,
      JSON.stringify(sampleWorkspace()),
      name,
    ),
  );
  for (const writer of writers) {
    await writer.printed('busy');
    writer.kill();
    expect(await writer.ended).toMatchObject({ status: null, stderr: '' });
  }
  const inserted = (await store.workspaces.list()).flatMap(({ id }) => [id, id]).sort();
  const told = (await store.events.list({ limit: 1_000_000 })).map(event => event.workspaceId).sort();
  expect(inserted.length).toBeGreaterThan(3 * 2 * 20);
  expect(told).toEqual(inserted);
  expect(new Database(file).prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  await store.close();
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
