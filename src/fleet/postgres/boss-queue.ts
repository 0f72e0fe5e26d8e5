import type { Db, PgBoss } from 'pg-boss';
import type { EntryClaim, JobQueue, LedgerChange } from '../ledger/ledger-session.js';

/** The name of the one queue. */
export const QUEUE = 'attempts';

/**
 * The options of the queue. Nothing of pg-boss's own supervision is used: no process runs it, claims are reaped by the
 * ledger, and nothing expires. An entry is given back at most three times.
 */
export const QUEUE_OPTIONS = { retryLimit: 100, retryDelay: 0, expireInSeconds: 86_399 };

/** Attempts wait for days in a queue; pg-boss would not hand out what is older than its retention. */
const RETENTION_SECONDS = 365 * 86_400;

/** A queue of pg-boss, in the transactions of the ledger. */
export function createBossQueue(boss: PgBoss, within: (change: LedgerChange) => Db): JobQueue {
  return {
    push: async (change, entries) => {
      const jobs = entries.map(({ id, group, priority }) => ({
        ...{ id, priority, group: { id: group }, retentionSeconds: RETENTION_SECONDS },
      }));
      await boss.insert(QUEUE, jobs, { db: within(change) });
    },
    take: async (change, { limit, ignoring }) => {
      const ignoreGroups = ignoring.length > 0 ? { ignoreGroups: [...ignoring] } : {};
      const options = { batchSize: limit, ...ignoreGroups, db: within(change) };
      const jobs = await boss.fetch(QUEUE, options);
      return jobs.map(({ id, retryCount, groupId }) => ({
        id,
        retry: retryCount,
        group: groupId ?? '[[],[]]',
      }));
    },
    finish: (change, entry) => settle('complete', change, entry),
    giveBack: (change, entry) => settle('fail', change, entry),
    tidy: () => boss.deleteStoredJobs(QUEUE),
  };

  /**
   * The only place that completes a job. With a plain id pg-boss would complete the job of another host; with the number
   * of retries it does so only for the claim that it belongs to.
   */
  async function settle(
    action: 'complete' | 'fail',
    change: LedgerChange,
    { id, retry }: EntryClaim,
  ): Promise<boolean> {
    const answer = await boss[action](QUEUE, { id, retryCount: retry }, null, { db: within(change) });
    return (answer as { affected: number }).affected === 1;
  }
}
