import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWorkshop, settleDown, type Workshop } from '../../test/helpers/pool/workshop.js';
import { PoolManager } from './pool-manager.js';

/** What happens next; numbers choose among what is there at that moment. */
type Step =
  | { readonly do: 'acquire' }
  | { readonly do: 'warmup'; readonly count: number }
  | { readonly do: 'release' | 'release again' | 'abort' | 'succeed' | 'fail'; readonly which: number };

const choice = fc.nat({ max: 20 });
const stepWith = (...words: Extract<Step, { readonly which: number }>['do'][]) =>
  fc.record({ do: fc.constantFrom(...words), which: choice });

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant<Step>({ do: 'acquire' }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('warmup' as const), count: fc.nat({ max: 5 }) }) },
    { weight: 4, arbitrary: stepWith('release') },
    { weight: 8, arbitrary: stepWith('succeed') },
    { weight: 2, arbitrary: stepWith('fail') },
    { weight: 2, arbitrary: stepWith('release again', 'abort') },
  ),
  { maxLength: 60, size: 'max' },
);

test('for any order of events: never too many slots, none handed out twice, none lost, callers served in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, fc.boolean(), async (maxSlots, plan, drains) => {
      const world = createWorld(maxSlots);
      for (const step of plan) {
        world.take(step);
        await settleDown();
        world.check();
      }
      await (drains ? world.drain() : world.finish());
    }),
    { numRuns: 200 },
  );
});

interface Asker {
  readonly leaving: AbortController;
  state: 'waiting' | 'served' | 'failed' | 'left' | 'turned away';
}

function createWorld(maxSlots: number) {
  const workshop = createWorkshop();
  const pool = new PoolManager<number>({ maxSlots, ...workshop });
  const askers: Asker[] = [];
  const leases = new Map<string, number>();
  const oldLeases: string[] = [];
  const oddities: string[] = [];

  const acquire = () => {
    const asker: Asker = { leaving: new AbortController(), state: 'waiting' };
    askers.push(asker);
    pool.acquire({ signal: asker.leaving.signal }).then(
      ({ id, value }) => {
        asker.state = 'served';
        if ([...leases.values()].includes(value)) oddities.push(`${value} was handed out twice`);
        if (leases.has(id) || oldLeases.includes(id)) oddities.push(`the id ${id} was used twice`);
        leases.set(id, value);
      },
      error => {
        asker.state = asker.leaving.signal.aborted
          ? 'left'
          : error.code === 'POOL_CLOSED'
            ? 'turned away'
            : 'failed';
      },
    );
  };
  const release = (id: string | undefined) => {
    if (id === undefined) return;
    leases.delete(id);
    oldLeases.push(id);
    pool.release(id).catch(error => oddities.push(`release: ${error}`));
  };
  const releaseAgain = (id: string | undefined) => {
    if (id === undefined) return;
    pool.release(id).then(
      () => oddities.push(`${id} was released twice`),
      error => {
        if (error.code !== 'STALE_LEASE') oddities.push(`second release: ${error}`);
      },
    );
  };
  const take = (step: Step) => {
    switch (step.do) {
      case 'acquire':
        return acquire();
      case 'warmup':
        return void pool.warmup(step.count).catch(() => undefined);
      case 'release':
        return release(pick([...leases.keys()], step.which));
      case 'release again':
        return releaseAgain(pick(oldLeases, step.which));
      case 'abort':
        return pick(waiting(askers), step.which)?.leaving.abort();
      case 'succeed':
        return pick(workshop.pending, step.which)?.succeed();
      case 'fail':
        return pick(workshop.pending, step.which)?.fail();
    }
  };
  const check = () => {
    const { total, available, inUse, changing, waiting: inLine } = pool.stats();
    expect(oddities).toEqual([]);
    expect(total).toBe(workshop.alive.size);
    expect(total).toBeLessThanOrEqual(maxSlots);
    expect(changing).toBe(workshop.pending.length);
    expect(inUse).toBe(leases.size);
    expect(inLine).toBe(waiting(askers).length);
    expectNobodyOvertaken(askers);
    if (inLine > 0) expectSomethingOnTheWay({ available, total, maxSlots, inLine }, workshop);
  };
  const finish = async () => {
    while (workshop.pending.length + waiting(askers).length + leases.size > 0) {
      workshop.pending[0]?.succeed();
      for (const id of leases.keys()) release(id);
      await settleDown();
      check();
    }
    expect(pool.stats().available).toBe(pool.stats().total);
  };
  const drain = async () => {
    const held = [...leases.keys()];
    const closing = pool.destroyAll();
    leases.clear();
    await settleDown();
    expect(waiting(askers)).toEqual([]);
    for (const id of held) await pool.release(id);
    for (; workshop.pending.length > 0; await settleDown()) workshop.pending.at(-1)?.succeed();
    await closing;
    expect(oddities).toEqual([]);
    expect([...workshop.alive]).toEqual([]);
    expect(pool.stats()).toMatchObject({ total: 0, available: 0, inUse: 0, changing: 0, waiting: 0 });
  };
  return { take, check, finish, drain };
}

const pick = <Item>(items: readonly Item[], which: number): Item | undefined => items[which % items.length];

const waiting = (askers: readonly Asker[]) => askers.filter(({ state }) => state === 'waiting');

/** Served or failed, it was one's turn; only who left by themselves is not counted. */
function expectNobodyOvertaken(askers: readonly Asker[]): void {
  const stillWaiting = askers.findIndex(({ state }) => state === 'waiting');
  if (stillWaiting === -1) return;
  const later = askers.slice(stillWaiting).map(({ state }) => state);
  expect(later).not.toContain('served');
  expect(later).not.toContain('failed');
}

/** While a caller waits no slot is idle, and unless the cap is reached there is a create for every waiting caller. */
function expectSomethingOnTheWay(
  { available, total, maxSlots, inLine }: Record<'available' | 'total' | 'maxSlots' | 'inLine', number>,
  { pending }: Workshop,
): void {
  expect(available).toBe(0);
  const creating = pending.filter(({ during }) => during === 'create').length;
  if (total < maxSlots) expect(creating).toBeGreaterThanOrEqual(inLine);
}
