import { sql } from 'kysely';
import { formatGroup } from './job-group.js';
import type { LedgerChange, LedgerSession } from './ledger-session.js';
import type { JobRow } from './ledger-tables.js';

/**
 * Opens waiting jobs of a run until it has `parallelism` that are open or claimed, in the order of priority and
 * submission. The caller holds the row of the run, so that no other transaction opens any. Returns how many.
 */
export async function openWindow(session: LedgerSession, change: LedgerChange, run: string): Promise<number> {
  const opened = await change
    .updateTable('fleet_jobs')
    .set(db => ({ state: 'open', entry: db.ref('fleet_jobs.id') }))
    .where('id', 'in', db =>
      db
        .selectFrom('fleet_jobs as next')
        .select('next.id')
        .where('next.run', '=', run)
        .where('next.state', '=', 'waiting')
        .orderBy('next.priority', 'desc')
        .orderBy('next.position')
        .limit(room(change, run)),
    )
    .returning(['entry', 'priority', 'position', 'labels', 'left_by', 'provider'])
    .execute();
  opened.sort((a, b) => b.priority - a.priority || a.position - b.position);
  await fileJobs(session, change, opened);
  return opened.length;
}

type FiledJob = Pick<JobRow, 'entry' | 'priority' | 'labels' | 'left_by' | 'provider'>;

/** Puts open jobs into the queue. */
export async function fileJobs(
  session: LedgerSession,
  change: LedgerChange,
  jobs: readonly FiledJob[],
): Promise<void> {
  if (jobs.length === 0) return;
  const entries = jobs.map(({ entry, priority, labels, left_by, provider }) => ({
    id: entry as string,
    priority,
    group: formatGroup(JSON.parse(labels) as string[], JSON.parse(left_by) as string[], provider),
  }));
  await session.queue.push(change, entries);
}

function room(change: LedgerChange, run: string) {
  const used = change
    .selectFrom('fleet_jobs as used')
    .select(db => db.fn.countAll<number>().as('count'))
    .where('used.run', '=', run)
    .where('used.state', 'in', ['open', 'claimed']);
  const free = change
    .selectFrom('fleet_runs')
    .select(sql<number>`fleet_runs.parallelism - (${used})`.as('free'))
    .where('fleet_runs.id', '=', run);
  // A limit below zero means no limit in SQLite and is an error in PostgreSQL.
  return sql<number>`(select case when free < 0 then 0 else free end from (${free}) as room)`;
}
