import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../repository/history.mjs';
import { requireClean } from '../repository/proof.mjs';
import { diskUse } from '../system/disk-use.mjs';

const SAMPLES_PER_ROUND = 3;

export const acquireRows = [
  { name: 'acquire, same commit', by: 'acquire' },
  { name: 'acquire, near commit', by: 'acquire' },
  { name: 'acquire, far commit', by: 'acquire' },
  { name: 'overlay acquire', by: 'overlay acquire' },
  { name: 'overlay acquire, near commit', by: 'overlay acquire' },
];

/** Slots of the pool, through the library. One slot of each kind, which goes from commit to commit. */
export function acquireContestants(pool) {
  return [checkoutSlot(pool), overlaySlot(pool)];
}

function checkoutSlot(pool) {
  const { head, near, far } = pool.scene.repository;
  const turn = async (_round, watch) => {
    await pool.makeSlot('checkout', head);
    const take = (name, commit) => takeAndReturn(pool, watch, { kind: 'checkout', name, commit });
    for (let sample = 0; sample < SAMPLES_PER_ROUND; sample++) await take('acquire, same commit', head);
    for (const commit of [near, head]) await take('acquire, near commit', commit);
    for (const commit of [far, head]) await take('acquire, far commit', commit);
  };
  return { name: 'acquire', turn };
}

function overlaySlot(pool) {
  const { head, near } = pool.scene.repository;
  const turn = async (round, watch) => {
    await pool.makeSlot('overlay', head);
    const take = (name, commit) => takeAndReturn(pool, watch, { kind: 'overlay', name, commit });
    for (let sample = 0; sample < SAMPLES_PER_ROUND; sample++) await take('overlay acquire', head);
    for (const commit of [near, head]) await take('overlay acquire, near commit', commit);
    if (round === 0) watch.record('bytes: overlay acquire', await bytesOfSecondSlot(pool, head));
  };
  return { name: 'overlay acquire', turn };
}

async function takeAndReturn(pool, watch, { kind, name, commit }) {
  const start = () => performance.now();
  const lease = await watch.time(
    name,
    pool.settle,
    () => pool.acquire(kind, commit),
    async taken => {
      if (!taken.isWarm) throw new Error('the slot was not warm');
      await requireClean(taken.path, commit, pool.scene.env);
    },
  );
  const acquired = watch.samples.get(name).at(-1);
  await pool.settle();
  const begin = start();
  const outcome = await pool.release(lease);
  const released = start() - begin;
  if (outcome.status !== 'free') throw new Error(`the slot was ${outcome.status}: ${outcome.reason}`);
  const prefix = kind === 'overlay' ? 'overlay ' : '';
  if (name === 'acquire, same commit' || name === 'overlay acquire') {
    watch.record(`${prefix}acquire + release, untouched`, acquired + released);
  }
}

/** The first slot pays for the layer that all share. */
async function bytesOfSecondSlot(pool, commit) {
  const first = await pool.acquire('overlay', commit);
  const before = await diskUse(pool.scene);
  const second = await pool.acquire('overlay', commit);
  const bytes = (await diskUse(pool.scene)) - before;
  if (!existsSync(join(second.path, pathOf(1)))) throw new Error('the second slot has no files');
  for (const lease of [first, second]) await pool.release(lease);
  return bytes;
}
