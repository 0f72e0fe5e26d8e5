import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { fingerprint, hashTree } from '../../test/helpers/fingerprint.js';
import { oneInSix, thoroughTest } from '../../test/helpers/flavours.js';
import { usePoolPrograms } from '../../test/helpers/pool/pool-programs.js';
import { makePool, type TestPool } from '../../test/helpers/pool/test-pool.js';
import { commitFiles, git, writeFiles } from '../../test/helpers/repository.js';
import { identifyProcess } from '../exec/process/identify-process.js';
import { createWorkspacePool } from './create-workspace-pool.js';
import { recoverSlots } from './lifecycle/recover-slots.js';

const start = usePoolPrograms();

const ACQUIRE_AND_STAY = `
  import { writeFileSync } from 'node:fs';
  const { pool } = await openPool(args[0], args[1], { settings: { size: 1 } });
  const lease = await pool.acquire({ commit: args[2], holder: 'a program' });
  writeFileSync(lease.path + '/new.txt', 'precious\\n');
  print('lease ' + lease.id);
  setInterval(() => undefined, 1000);
`;

thoroughTest(
  'two processes with 50 concurrent requests never have more than the cap, and no slot twice',
  async () => {
    const site = await makePool({ settings: { size: 3 } });
    const program = `
    import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
    const { pool, store } = await openPool(args[0], args[1], { settings: { size: 3 } });
    await Promise.all(Array.from({ length: 25 }, async () => {
      const lease = await pool.acquire({ commit: args[2], holder: 'one of many' });
      const mark = args[1] + '/' + lease.slotId;
      closeSync(openSync(mark, 'wx'));
      if ((await pool.stats()).total > 3) print('too many');
      writeFileSync(lease.path + '/' + lease.id, 'new');
      unlinkSync(mark);
      const { status } = await pool.release(lease.id, { work: 'discard' });
      if (status !== 'free') print('quarantined');
    }));
    await store.close();
    print('done');
  `;
    const programs = [1, 2].map(() => start(program, site.repository, site.home, site.head));
    for (const { ended } of programs) expect(await ended).toMatchObject({ status: 0, stderr: '' });
    for (const { printed } of programs) await printed('done');
    expect(await site.pool.stats()).toMatchObject({ total: 3, free: 3 });
    expect(await site.pool.drain()).toEqual({ destroyed: 3, busy: 0 });
  },
  120_000,
);

test('a waiting process reclaims the slot of a killed one, with its work kept', async () => {
  const site = await makePool({ settings: { size: 1 } });
  const holder = start(ACQUIRE_AND_STAY, site.repository, site.home, site.head);
  const leaseId = await holder.printed('lease');
  await expect(site.pool.acquire({ commit: site.head, holder: 'b', timeoutMs: 50 })).rejects.toMatchObject({
    code: 'ACQUIRE_TIMED_OUT',
  });
  holder.kill();
  await holder.ended;
  const lease = await site.acquire();
  expect(lease).toMatchObject({ isWarm: true });
  expect(existsSync(join(lease.path, 'new.txt'))).toBe(false);
  await expect(site.pool.release(leaseId)).rejects.toMatchObject({ code: 'STALE_LEASE' });
  const [kept] = await site.remains();
  expect(kept).toMatchObject({ holds: 'work', isPartial: true, workspaceId: lease.slotId });
  expect(readFileSync(join(kept?.directory ?? '', 'tree/new.txt'), 'utf8')).toBe('precious\n');
});

test('a lease that was handed over outlives the process that acquired it', async () => {
  const site = await makePool({ settings: { size: 1 } });
  const holder = start(ACQUIRE_AND_STAY, site.repository, site.home, site.head);
  const leaseId = await holder.printed('lease');
  await site.pool.handOver(leaseId, site.dependencies.self);
  holder.kill();
  await holder.ended;
  await recoverSlots(site.dependencies);
  expect(await site.pool.release(leaseId)).toMatchObject({ status: 'free' });
});

test('removes slots whose process was killed while creating, adopting or destroying them', async () => {
  const site = await makePool();
  const before = fingerprint(site.repository);
  await site.pool.warmup(3, site.head);
  const dead = { ...(identifyProcess(process.pid) as object), startedAt: 'long ago' } as never;
  const { slots } = await site.store.slots.list();
  const statuses = ['creating', 'adopting', 'destroying'] as const;
  for (const [i, slot] of slots.entries())
    await site.store.slots.update(
      slot.id,
      { status: 'free' },
      { status: statuses[i] as 'free', owner: dead },
      [],
    );
  await recoverSlots(site.dependencies);
  expect(await site.pool.stats()).toMatchObject({ total: 0 });
  expect(slots.filter(({ directory }) => existsSync(directory))).toEqual([]);
  expect(git(site.repository, 'for-each-ref', 'refs/carrel')).toBe('');
  expect(fingerprint(site.repository)).toEqual(before);
});

test('an interrupted reset continues and loses nothing', async () => {
  const site = await makePool();
  const lease = await site.acquire();
  const slot = join(lease.path, '..');
  const clean = hashTree(lease.path);
  writeFiles(lease.path, {
    'README.md': 'half restored',
    'source/new.txt': 'new\n',
    'source/one.txt': 'uno\n',
  });
  git(lease.path, 'rm', '--quiet', '--cached', 'run.sh');
  // As if it had moved these two and noted a deletion, and then been killed while it wrote files back.
  writeFiles(slot, { 'aside/tree/README.md': 'mine\n', 'aside/removed': 'source/deep/two.txt\0' });
  expect(await site.pool.release(lease.id)).toMatchObject({ status: 'free' });
  expect(hashTree(lease.path)).toBe(clean);
  const [kept] = await site.remains();
  const read = (path: string) => readFileSync(join(kept?.directory ?? '', path), 'utf8');
  expect(read('tree/README.md')).toBe('mine\n');
  expect(read('tree/source/new.txt')).toBe('new\n');
  expect(read('tree/source/one.txt')).toBe('uno\n');
  expect(read('removed')).toBe('source/deep/two.txt\0');
});

const damages: Record<string, string> = {
  'is not JSON': `update slots set details = '{'`,
  'has a part missing': `update slots set details = json_remove(details, '$.caches')`,
  'has an unknown status': `update slots set status = 'fine'`,
  'leads somewhere else': `update slots set details = json_set(details, '$.directory', '/elsewhere')`,
};

test.each(oneInSix(Object.entries(damages)))(
  'a slot whose record %s is quarantined and not reused',
  async (_, damage) => {
    const site = await makePool({ settings: { size: 1 } });
    const elsewhere = join(site.home, 'elsewhere');
    writeFiles(elsewhere, { 'precious.txt': 'precious\n' });
    const lease = await site.acquire();
    await site.pool.release(lease.id);
    corrupt(site, damage.replace('/elsewhere', elsewhere));
    const other = await site.acquire();
    expect(other.slotId).not.toBe(lease.slotId);
    expect(await site.pool.stats()).toMatchObject({ total: 2, leased: 1, quarantined: 1 });
    expect(existsSync(lease.path)).toBe(true);
    await site.pool.release(other.id);
    expect(await site.pool.drain()).toEqual({ destroyed: 2, busy: 0 });
    expect(readFileSync(join(elsewhere, 'precious.txt'), 'utf8')).toBe('precious\n');
    expect(git(site.repository, 'for-each-ref', 'refs/carrel')).toBe('');
  },
);

test('releasing a lease whose record was damaged quarantines its slot and keeps the work', async () => {
  const site = await makePool({ settings: { size: 1 } });
  const lease = await site.acquire();
  writeFiles(lease.path, { 'new.txt': 'precious\n' });
  corrupt(site, `update slots set details = '{'`);
  expect(await site.pool.release(lease.id)).toMatchObject({ status: 'quarantined', snapshotId: null });
  expect(await site.pool.stats()).toMatchObject({ total: 1, quarantined: 1 });
  expect(await site.pool.drain()).toEqual({ destroyed: 1, busy: 0 });
  const kept = (await site.remains()).filter(({ holds }) => holds === 'work');
  expect(readFileSync(join(kept[0]?.directory ?? '', 'tree/new.txt'), 'utf8')).toBe('precious\n');
});

test('a pool whose slot directory became a link does not follow it', async () => {
  const site = await makePool({ settings: { size: 1 } });
  const lease = await site.acquire();
  const slot = join(lease.path, '..');
  rmSync(slot, { recursive: true });
  symlinkSync(site.repository, slot);
  const before = fingerprint(site.repository);
  expect(await site.pool.release(lease.id)).toMatchObject({
    status: 'quarantined',
    reason: 'the slot is gone',
  });
  await site.pool.drain();
  expect(fingerprint(site.repository)).toEqual(before);
});

const DEAD = { ...(identifyProcess(process.pid) as object), startedAt: 'long ago' } as never;

/** The same pool for a user whose workspaces are in another directory. */
function elsewhere({ dependencies, home }: TestPool) {
  const root = join(home, 'other');
  mkdirSync(root);
  return { ...dependencies, root };
}

test('a lease below another root stays its holder’s', async () => {
  const site = await makePool();
  const other = elsewhere(site);
  const lease = await site.acquire();
  writeFiles(lease.path, { 'new.txt': 'precious\n' });
  await recoverSlots(other);
  expect(await createWorkspacePool(other).drain()).toEqual({ destroyed: 0, busy: 1 });
  expect(await site.pool.release(lease.id)).toMatchObject({
    status: 'free',
    snapshotId: expect.any(String) as string,
  });
});

test('what a dead process left below another root is recovered there', async () => {
  const site = await makePool();
  const lease = await site.acquire();
  writeFiles(lease.path, { 'new.txt': 'precious\n' });
  await site.store.slots.update(lease.slotId, { status: 'leased' }, { owner: DEAD }, []);
  await recoverSlots(elsewhere(site));
  expect(await site.store.slots.find(lease.slotId)).toMatchObject({ status: 'free' });
  const [kept] = await site.remains();
  expect(kept?.directory).toBe(join(site.dependencies.root, '.trash', kept?.id ?? ''));
  expect(readFileSync(join(kept?.directory ?? '', 'tree/new.txt'), 'utf8')).toBe('precious\n');
});

test('free slots below another root are neither handed out nor adopted, and make room', async () => {
  const site = await makePool({ settings: { size: 1 } });
  await site.pool.warmup(1, site.head);
  const other = elsewhere(site);
  expect(await createWorkspacePool(other).adopt(site.head)).toBeUndefined();
  expect(await site.pool.stats()).toMatchObject({ total: 1, free: 1 });
  const lease = await createWorkspacePool(other).acquire({
    commit: site.head,
    holder: 'b',
    timeoutMs: 20_000,
  });
  expect(lease).toMatchObject({ isWarm: false });
  expect(lease.path.startsWith(`${other.root}/`)).toBe(true);
  expect(await site.pool.stats()).toMatchObject({ total: 1, leased: 1 });
});

test('a slot that cannot be recovered does not block the others', async () => {
  const site = await makePool();
  await site.pool.warmup(2, site.head);
  const { slots } = await site.store.slots.list();
  const [first, second] = slots.map(({ id }) => id);
  for (const id of [first, second])
    await site.store.slots.update(id ?? '', { status: 'free' }, { status: 'creating', owner: DEAD }, []);
  const { remains } = site.store;
  const failing = {
    ...remains,
    insert: (each: Parameters<typeof remains.insert>[0]) =>
      each.workspaceId === first ? Promise.reject(new Error('no room')) : remains.insert(each),
  };
  const store = { ...site.dependencies.store, slots: site.store.slots, remains: failing };
  const problems = await recoverSlots({ ...site.dependencies, store });
  expect(problems).toEqual([`cannot clean up the slot ${first}: no room`]);
  expect((await site.store.slots.list()).slots.map(({ id }) => id)).toEqual([first]);
});

test('a slot whose process was killed at the end of moving it to another commit is free again', async () => {
  const site = await makePool();
  const next = commitFiles(site.repository, { 'README.md': 'changed\n', 'source/three.txt': 'three\n' });
  const first = await site.acquire(site.head);
  const clean = hashTree(first.path);
  await site.pool.release(first.id);
  const { slotId } = await site.acquire(next);
  // The files are there, and the record does not say so yet.
  await site.store.slots.update(slotId, { status: 'leased' }, { commit: site.head, owner: DEAD }, []);
  await recoverSlots(site.dependencies);
  expect(await site.store.slots.find(slotId)).toMatchObject({
    status: 'free',
    commit: site.head,
    reason: null,
  });
  const again = await site.acquire(site.head);
  expect(again).toMatchObject({ slotId, isWarm: true });
  expect(hashTree(again.path)).toBe(clean);
  expect(git(again.path, 'status', '--porcelain', '--ignored')).toBe('');
});

test('files that cannot be moved out of a slot are quarantined with it, and nothing written later is deleted', async () => {
  const site = await makePool({ settings: { size: 1 } });
  const lease = await site.acquire();
  const trash = join(site.dependencies.root, '.trash');
  writeFileSync(trash, 'in the way');
  writeFiles(lease.path, { 'README.md': 'first\n' });
  await expect(site.pool.reset(lease.id)).rejects.toMatchObject({ code: 'SLOT_QUARANTINED' });
  expect(await site.remains()).toEqual([]);
  // The holder of the path does not know.
  writeFiles(lease.path, { 'README.md': 'second\n' });
  git(lease.path, 'switch', '--quiet', '-c', 'later');
  unlinkSync(trash);
  expect(await site.pool.drain()).toEqual({ destroyed: 1, busy: 0 });
  const [kept] = (await site.remains()).filter(({ holds }) => holds === 'work');
  const found = (readdirSync(kept?.directory ?? '', { recursive: true }) as string[]).filter(name =>
    /README\.md$|git\/HEAD$/.test(name),
  );
  const texts = found.map(name => readFileSync(join(kept?.directory ?? '', name), 'utf8'));
  expect(texts.sort()).toEqual(['first\n', `${site.head}\n`, 'ref: refs/heads/later\n', 'second\n'].sort());
});

test('files moved aside without a git directory do not count as work to capture', async () => {
  const site = await makePool({ settings: { size: 1 } });
  const lease = await site.acquire();
  const slot = join(lease.path, '..');
  writeFiles(slot, { 'aside/tree/node_modules/a.js': 'a' });
  rmSync(lease.path, { recursive: true });
  expect(await site.pool.release(lease.id)).toMatchObject({ status: 'quarantined', snapshotId: null });
  expect(await site.remains()).toEqual([]);
  expect(readFileSync(join(slot, 'aside/tree/node_modules/a.js'), 'utf8')).toBe('a');
});

function corrupt({ home }: TestPool, damage: string): void {
  const database = new Database(join(home, 'carrel.db'));
  database.exec(damage);
  database.close();
}
