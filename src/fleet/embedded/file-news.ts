import type { LedgerChange, LedgerSession, News } from '../ledger/ledger-session.js';
import { withQueue } from './sqlite-queue.js';

/** How many news are kept: a process that missed more looks at everything, as after a pause. */
const KEPT = 1000;
/** Between two looks for news, in milliseconds: 1/20 of the polling interval, at least this. */
const SHORTEST_WAIT_MS = 20;

/** News through a table that every process looks at. */
export function createFileNews(
  read: LedgerSession['read'],
  pollMs: number,
): Pick<LedgerSession, 'announce' | 'listen'> {
  return {
    announce: async (change, news) => {
      for (const text of news) await insert(change, text);
    },
    listen: async callback => {
      let last = (await readAfter(read, Number.MAX_SAFE_INTEGER)).last;
      let isLooking = false;
      const look = async (): Promise<void> => {
        const { news, last: newest } = await readAfter(read, last);
        last = newest;
        for (const one of new Set(news)) callback(one);
      };
      const timer = setInterval(
        () => {
          if (isLooking) return;
          isLooking = true;
          // Polling finds what a failed look has missed.
          look()
            .catch(() => undefined)
            .finally(() => {
              isLooking = false;
            });
        },
        Math.max(SHORTEST_WAIT_MS, pollMs / 20),
      );
      return async () => clearInterval(timer);
    },
  };
}

async function insert(change: LedgerChange, text: string): Promise<void> {
  const { sequence } = await withQueue(change)
    .insertInto('fleet_news')
    .values({ text })
    .returning('sequence')
    .executeTakeFirstOrThrow();
  if (sequence % KEPT === 0)
    await withQueue(change)
      .deleteFrom('fleet_news')
      .where('sequence', '<', sequence - KEPT)
      .execute();
}

function readAfter(read: LedgerSession['read'], after: number): Promise<{ news: News[]; last: number }> {
  return read(async db => {
    const rows = await withQueue(db as LedgerChange)
      .selectFrom('fleet_news')
      .selectAll()
      .where('sequence', '>', after)
      .orderBy('sequence')
      .execute();
    const newest = rows.at(-1)?.sequence ?? (after === Number.MAX_SAFE_INTEGER ? await lastOf(db) : after);
    return { news: rows.map(row => row.text as News), last: newest };
  });
}

async function lastOf(db: Parameters<Parameters<LedgerSession['read']>[0]>[0]): Promise<number> {
  const row = await withQueue(db as LedgerChange)
    .selectFrom('fleet_news')
    .select(select => select.fn.max('sequence').as('last'))
    .executeTakeFirst();
  return Number(row?.last ?? 0);
}
