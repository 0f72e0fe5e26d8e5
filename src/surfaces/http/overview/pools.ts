import type { Overview } from '../../../domain/api/overview.js';
import type { SlotRecord } from '../../../domain/workspace/slot.js';
import type { Context } from '../../../operations/context.js';

/** One gauge for each repository that has warm workspaces. */
export function describePools(
  context: Pick<Context, 'loadConfig'>,
  slots: readonly SlotRecord[],
): Promise<Overview['pools']> {
  const repositories = [...new Set(slots.map(({ repository }) => repository))].sort();
  return Promise.all(
    repositories.map(async repository => {
      const own = slots.filter(slot => slot.repository === repository);
      const count = (...statuses: SlotRecord['status'][]) =>
        own.filter(({ status }) => statuses.includes(status)).length;
      return {
        repository,
        cap: await findCap(context, repository, own.length),
        free: count('free'),
        leased: count('leased'),
        busy: count('creating', 'resetting', 'adopting', 'destroying'),
        quarantined: count('quarantined'),
      };
    }),
  );
}

/** If the configuration of a repository cannot be read, the limit is the current number; `doctor` reports it. */
async function findCap(
  context: Pick<Context, 'loadConfig'>,
  repository: string,
  fallback: number,
): Promise<number> {
  const loaded = await context.loadConfig(repository).catch(() => undefined);
  return loaded?.config.pool.size ?? fallback;
}
