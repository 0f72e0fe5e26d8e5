import type { PoolDraining, PoolWarming, SlotReport } from '../../domain/pool-report.js';

/** What `carrel pool warm` did, and why it is less than was asked for. */
export function formatWarming({ free, wanted, cap, commit }: PoolWarming): string {
  const done = `${free} ${free === 1 ? 'slot is' : 'slots are'} free at ${commit.slice(0, 10)}`;
  if (free >= wanted) return done;
  return wanted > cap
    ? `${done}; ${wanted} are more than pool.size allows: ${cap}`
    : `${done}; the others of the ${cap} that pool.size allows are in use: carrel pool status`;
}

/** What `carrel pool drain` did, and who has what it left alone. */
export function formatDraining({ destroyed, busy }: PoolDraining): string {
  const done = `destroyed ${destroyed} ${destroyed === 1 ? 'slot' : 'slots'}`;
  return [done, ...busy.map(slot => `${slot.id} was left alone: ${describeUse(slot)}`)].join('\n');
}

function describeUse({ status, lease, owner }: SlotReport): string {
  const process = owner ? ` (process ${owner.pid})` : '';
  return lease && status === 'leased' ? `leased by ${lease.holder}${process}` : `${status}${process}`;
}
