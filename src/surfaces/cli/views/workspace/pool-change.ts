import type { PoolDraining, PoolWarming, SlotReport } from '../../../../domain/workspace/pool-report.js';

/** The result of `carrel pool warm`, and why there are fewer than requested. */
export function formatWarming({ free, wanted, cap, commit }: PoolWarming): string {
  const done = `${free} ${free === 1 ? 'slot is' : 'slots are'} free at ${commit.slice(0, 10)}`;
  if (free >= wanted) return done;
  return wanted > cap
    ? `${done}; pool.size allows ${cap}, not ${wanted}`
    : `${done}; the rest of the ${cap} slots (pool.size) are in use, see: carrel pool status`;
}

/** The result of `carrel pool drain`, and the users of the slots that it kept. */
export function formatDraining({ destroyed, busy }: PoolDraining): string {
  const done = `destroyed ${destroyed} ${destroyed === 1 ? 'slot' : 'slots'}`;
  return [done, ...busy.map(slot => `kept ${slot.id}: ${describeUse(slot)}`)].join('\n');
}

function describeUse({ status, lease, owner }: SlotReport): string {
  const process = owner ? ` (process ${owner.pid})` : '';
  return lease && status === 'leased' ? `leased by ${lease.holder}${process}` : `${status}${process}`;
}
