import { expect, test } from 'vitest';
import { createWorkshop, settleDown, type Workshop } from '../../test/helpers/pool/workshop.js';
import { PoolManager, type PoolManagerOptions } from './pool-manager.js';

/** A pool whose callbacks succeed at once, with what was called. */
function makePool(maxSlots: number, options: Partial<PoolManagerOptions<number>> = {}) {
  const calls: string[] = [];
  let made = 0;
  const pool = new PoolManager<number>({
    maxSlots,
    create: async () => {
      calls.push(`create ${++made}`);
      return made;
    },
    reset: async value => void calls.push(`reset ${value}`),
    destroy: async value => void calls.push(`destroy ${value}`),
    ...options,
  });
  return { pool, calls };
}

/** A pool whose callbacks wait for the test. */
function makeSlowPool(maxSlots: number) {
  const workshop = createWorkshop();
  return { pool: new PoolManager<number>({ maxSlots, ...workshop }), workshop };
}

async function end(workshop: Workshop, during: string, how: 'succeed' | 'fail' = 'succeed'): Promise<void> {
  await settleDown();
  const call = workshop.pending.find(candidate => candidate.during === during);
  if (!call) throw new Error(`no ${during} is under way`);
  call[how]();
  await settleDown();
}

test('warmup creates as many slots as requested', async () => {
  const { pool, calls } = makePool(5);
  expect(await pool.warmup(3)).toBe(3);
  expect(calls).toEqual(['create 1', 'create 2', 'create 3']);
  expect(pool.stats()).toEqual({ maxSlots: 5, total: 3, available: 3, inUse: 0, changing: 0, waiting: 0 });
});

test('warmup stops at the cap, and counts what is available already', async () => {
  const { pool, calls } = makePool(3);
  expect(await pool.warmup(2)).toBe(2);
  expect(await pool.warmup(10)).toBe(3);
  expect(await pool.warmup(3)).toBe(3);
  expect(calls).toHaveLength(3);
});

test('acquire takes a warm slot before it makes one', async () => {
  const { pool, calls } = makePool(2);
  await pool.warmup(1);
  expect((await pool.acquire()).value).toBe(1);
  expect((await pool.acquire()).value).toBe(2);
  expect(calls).toEqual(['create 1', 'create 2']);
});

test('acquire blocks while all slots are in use, and gets the one that is released, after its reset', async () => {
  const { pool, calls } = makePool(1);
  const first = await pool.acquire();
  const second = pool.acquire();
  expect(pool.stats()).toMatchObject({ total: 1, inUse: 1, waiting: 1 });
  await pool.release(first.id);
  expect((await second).value).toBe(first.value);
  expect(calls).toEqual(['create 1', 'reset 1']);
});

test('waiting callers are served in order, even if slots are created in another order', async () => {
  const { pool, workshop } = makeSlowPool(2);
  const served: string[] = [];
  for (const name of ['a', 'b', 'c']) void pool.acquire().then(({ value }) => served.push(`${name}${value}`));
  await settleDown();
  workshop.pending[1]?.succeed();
  await settleDown();
  expect(served).toEqual(['a2']);
  await end(workshop, 'create');
  expect(served).toEqual(['a2', 'b1']);
});

test('a hundred callers at once never have more slots than the cap', async () => {
  let inUse = 0;
  let most = 0;
  const { pool, calls } = makePool(4);
  const work = async () => {
    const { id } = await pool.acquire();
    most = Math.max(most, ++inUse);
    await settleDown();
    inUse--;
    await pool.release(id);
  };
  await Promise.all(Array.from({ length: 100 }, work));
  expect(most).toBe(4);
  expect(calls.filter(call => call.startsWith('create'))).toHaveLength(4);
});

test('a warmup and callers that come meanwhile share the cap and the slots being made', async () => {
  const { pool, workshop } = makeSlowPool(3);
  const warm = pool.warmup(2);
  const leases = [pool.acquire(), pool.acquire(), pool.acquire(), pool.acquire()];
  await settleDown();
  expect(workshop.pending).toHaveLength(3);
  for (let made = 0; made < 3; made++) await end(workshop, 'create');
  expect(await warm).toBe(0);
  expect((await Promise.all(leases.slice(0, 3))).map(({ value }) => value)).toEqual([1, 2, 3]);
  expect(pool.stats()).toMatchObject({ total: 3, waiting: 1 });
  const closing = pool.destroyAll();
  await expect(leases[3]).rejects.toMatchObject({ code: 'POOL_CLOSED' });
  for (let destroyed = 0; destroyed < 3; destroyed++) await end(workshop, 'destroy');
  await closing;
});

test('the id changes with every hand-out, and an old one is refused without disturbing the new holder', async () => {
  const { pool, calls } = makePool(1);
  const first = await pool.acquire();
  await pool.release(first.id);
  const second = await pool.acquire();
  expect(second.value).toBe(first.value);
  expect(second.id).not.toBe(first.id);
  await expect(pool.release(first.id)).rejects.toMatchObject({ code: 'STALE_LEASE', kind: 'conflict' });
  expect(calls).toEqual(['create 1', 'reset 1']);
  expect(pool.stats()).toMatchObject({ inUse: 1, available: 0 });
});

test('a second release is refused even while the first is still at its reset', async () => {
  const { pool, workshop } = makeSlowPool(1);
  const asked = pool.acquire();
  await end(workshop, 'create');
  const { id } = await asked;
  const released = pool.release(id);
  await expect(pool.release(id)).rejects.toMatchObject({ code: 'STALE_LEASE' });
  await end(workshop, 'reset');
  await released;
});

test('an id that the pool never gave is refused', async () => {
  await expect(makePool(1).pool.release('another')).rejects.toMatchObject({
    code: 'STALE_LEASE',
    details: { lease: 'another' },
  });
});

test('a caller that gives up leaves the queue, and the next one gets the slot', async () => {
  const { pool } = makePool(1);
  const first = await pool.acquire();
  const leaving = new AbortController();
  const second = pool.acquire({ signal: leaving.signal });
  const third = pool.acquire();
  leaving.abort(new Error('no longer needed'));
  await expect(second).rejects.toThrow('no longer needed');
  await pool.release(first.id);
  expect((await third).value).toBe(first.value);
});

test('what was being made for a caller that gave up stays for the next', async () => {
  const { pool, workshop } = makeSlowPool(1);
  const leaving = new AbortController();
  const first = pool.acquire({ signal: leaving.signal });
  leaving.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await end(workshop, 'create');
  expect(pool.stats()).toMatchObject({ total: 1, available: 1 });
  expect((await pool.acquire()).value).toBe(1);
});

test('a signal that was aborted before takes nothing', async () => {
  const { pool, calls } = makePool(1);
  const signal = AbortSignal.abort(new Error('too late'));
  await expect(pool.acquire({ signal })).rejects.toThrow('too late');
  expect(calls).toEqual([]);
});

test('a time limit stops the wait with ACQUIRE_TIMED_OUT and uses no slot', async () => {
  const { pool } = makePool(1);
  const first = await pool.acquire();
  await expect(pool.acquire({ timeoutMs: 5 })).rejects.toMatchObject({
    code: 'ACQUIRE_TIMED_OUT',
    details: { waitedMs: 5, cap: 1 },
  });
  await pool.release(first.id);
  expect(pool.stats()).toMatchObject({ available: 1, waiting: 0 });
});

test('a limit of 0 still takes an available slot, and one beyond the timer range does not expire at once', async () => {
  const { pool } = makePool(1);
  await pool.warmup(1);
  const { id } = await pool.acquire({ timeoutMs: 0 });
  const waiting = pool.acquire({ timeoutMs: Number.POSITIVE_INFINITY });
  await settleDown();
  await pool.release(id);
  await waiting;
});

test('a failed create rejects who waited for it and serves the next', async () => {
  const { pool, workshop } = makeSlowPool(1);
  const first = pool.acquire();
  const second = pool.acquire();
  first.catch(() => undefined);
  await end(workshop, 'create', 'fail');
  await expect(first).rejects.toThrow('create 1');
  await end(workshop, 'create');
  expect((await second).value).toBe(2);
});

test('a failed create of a warmup rejects only the warmup; waiting callers get another try', async () => {
  const { pool, workshop } = makeSlowPool(2);
  const warm = pool.warmup(2);
  warm.catch(() => undefined);
  const waiting = [pool.acquire(), pool.acquire()];
  await end(workshop, 'create', 'fail');
  expect(workshop.pending.map(({ value }) => value)).toEqual([2, 3]);
  await end(workshop, 'create');
  await expect(warm).rejects.toThrow('create 1');
  await end(workshop, 'create');
  expect((await Promise.all(waiting)).map(({ value }) => value)).toEqual([2, 3]);
});

test('a slot whose reset fails is destroyed and replaced, and the release succeeds', async () => {
  const { pool, workshop } = makeSlowPool(1);
  const asked = pool.acquire();
  await end(workshop, 'create');
  const { id } = await asked;
  const released = pool.release(id);
  const next = pool.acquire();
  await end(workshop, 'reset', 'fail');
  expect(pool.stats()).toMatchObject({ total: 1, available: 0 });
  await end(workshop, 'destroy');
  await released;
  await end(workshop, 'create');
  expect((await next).value).toBe(2);
  expect(workshop.failures).toMatchObject([{ during: 'reset' }]);
});

test('a failed destroy does not cost the pool a place', async () => {
  const { pool, workshop } = makeSlowPool(1);
  const asked = pool.acquire();
  await end(workshop, 'create');
  const released = pool.release((await asked).id);
  await end(workshop, 'reset', 'fail');
  await end(workshop, 'destroy', 'fail');
  await released;
  await end(workshop, 'create');
  expect(pool.stats()).toMatchObject({ total: 1, available: 1 });
  expect(workshop.failures.map(({ during }) => during)).toEqual(['destroy', 'reset']);
});

test('callbacks that throw instead of rejecting are failures like others', async () => {
  const fail = () => {
    throw new Error('at once');
  };
  const { pool } = makePool(1, { create: fail });
  await expect(pool.acquire()).rejects.toThrow('at once');
  await expect(pool.warmup(1)).rejects.toThrow('at once');
  expect(pool.stats().total).toBe(0);
});

test('destroyAll destroys slots in use too, and rejects who waits and who comes later', async () => {
  const { pool, calls } = makePool(2);
  await pool.warmup(2);
  await pool.acquire();
  await pool.acquire();
  const waiting = pool.acquire();
  await Promise.all([
    expect(waiting).rejects.toMatchObject({ code: 'POOL_CLOSED' }),
    pool.destroyAll(),
    expect(pool.acquire()).rejects.toMatchObject({ code: 'POOL_CLOSED' }),
    expect(pool.warmup(1)).rejects.toMatchObject({ code: 'POOL_CLOSED' }),
  ]);
  expect(calls.slice(2)).toEqual(['destroy 1', 'destroy 2']);
  expect(pool.stats()).toMatchObject({ total: 0, inUse: 0, waiting: 0 });
  await pool.destroyAll();
  expect(calls).toHaveLength(4);
});

test('a release after destroyAll is accepted once: the slot is already gone', async () => {
  const { pool, calls } = makePool(1);
  const { id } = await pool.acquire();
  await pool.destroyAll();
  await pool.release(id);
  expect(calls).toEqual(['create 1', 'destroy 1']);
  await expect(pool.release(id)).rejects.toMatchObject({ code: 'STALE_LEASE' });
});

test('destroyAll waits for what is being made or reset, and destroys that as well', async () => {
  const { pool, workshop } = makeSlowPool(2);
  const asked = pool.acquire();
  await end(workshop, 'create');
  const released = pool.release((await asked).id);
  const warm = pool.warmup(1);
  warm.catch(() => undefined);
  await settleDown();
  let isDone = false;
  const closing = pool.destroyAll().then(() => {
    isDone = true;
  });
  await end(workshop, 'reset');
  await end(workshop, 'destroy');
  await released;
  expect(isDone).toBe(false);
  await end(workshop, 'create');
  await end(workshop, 'destroy');
  await closing;
  await expect(warm).rejects.toMatchObject({ code: 'POOL_CLOSED' });
  expect(workshop.alive.size).toBe(0);
});

test('destroyAll reports a failed destroy after it tried all', async () => {
  const { pool, workshop } = makeSlowPool(2);
  const warm = pool.warmup(2);
  await end(workshop, 'create');
  await end(workshop, 'create');
  await warm;
  const closing = pool.destroyAll();
  closing.catch(() => undefined);
  await end(workshop, 'destroy', 'fail');
  await end(workshop, 'destroy');
  await expect(closing).rejects.toThrow('destroy 1');
  expect(pool.stats().total).toBe(0);
});

test.each([0, -1, 1.5, Number.NaN])('%s slots at most is refused', maxSlots => {
  expect(() => makePool(maxSlots)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
});
