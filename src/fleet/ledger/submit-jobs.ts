import { randomUUID } from 'node:crypto';
import { carrelError } from '../../domain/error/error.js';
import { type Job, LONGEST_BODY } from '../engine/job.js';
import type { RunTerms } from '../engine/run.js';
import type { LedgerChange, LedgerSession } from './ledger-session.js';
import { openWindow } from './open-window.js';

/** Rows in one statement: SQLite takes 32,766 values, PostgreSQL 65,535. */
const CHUNK = 1000;

export async function submitJobs(
  session: LedgerSession,
  terms: RunTerms,
  jobs: readonly Job[],
): Promise<{ added: number }> {
  for (const job of jobs) requireSmall(job);
  return session.change(async change => {
    const positions = await writeTerms(session, change, terms);
    let added = 0;
    for (let start = 0; start < jobs.length; start += CHUNK)
      added += await addJobs(change, jobs.slice(start, start + CHUNK), positions + start);
    await change
      .updateTable('fleet_runs')
      .set({ positions: positions + jobs.length })
      .where('id', '=', terms.run)
      .execute();
    const opened = await openWindow(session, change, terms.run);
    await session.announce(change, opened > 0 ? ['jobs', `run ${terms.run}`] : [`run ${terms.run}`]);
    return { added };
  });
}

function requireSmall({ key, body }: Job): void {
  const bytes = Buffer.byteLength(body);
  if (bytes > LONGEST_BODY)
    throw carrelError('FLEET_JOB_TOO_LARGE', { task: key.task, bytes, limit: LONGEST_BODY });
}

/** Creates the run or updates its terms, and holds its row. Returns the position of its newest job. */
async function writeTerms(session: LedgerSession, change: LedgerChange, terms: RunTerms): Promise<number> {
  const { run: id, plan, parallelism, costLimitUsd } = terms;
  const limit_micros = costLimitUsd === null ? null : Math.floor(costLimitUsd * 1e6 + 1e-6);
  const row = await change
    .insertInto('fleet_runs')
    .values({
      ...{ id, plan, parallelism, limit_micros, submitted_at: session.now },
      ...{
        spent_micros: 0,
        unknown_micros: 0,
        reserved_micros: 0,
        cancelled: 0,
        results: 0,
        acknowledged: 0,
        positions: 0,
      },
    })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ parallelism, limit_micros, cancelled: 0 }))
    .returning(['plan', 'positions'])
    .executeTakeFirstOrThrow();
  if (row.plan !== plan) throw carrelError('FLEET_RUN_DIFFERS', { run: id });
  return row.positions;
}

async function addJobs(change: LedgerChange, jobs: readonly Job[], position: number): Promise<number> {
  if (jobs.length === 0) return 0;
  const run = jobs[0]?.key.run as string;
  // A cancelled job begins again as a new row: its old entry in the queue then means nothing.
  await change
    .deleteFrom('fleet_jobs')
    .where('run', '=', run)
    .where('state', '=', 'cancelled')
    .where('task', 'in', [...new Set(jobs.map(job => job.key.task))])
    .execute();
  const rows = jobs.map((job, index) => toRow(job, position + index + 1));
  const inserted = await change
    .insertInto('fleet_jobs')
    .values(rows)
    .onConflict(conflict => conflict.columns(['run', 'task', 'attempt']).doNothing())
    .returning('id')
    .execute();
  return inserted.length;
}

const toRow = ({ key, priority, labels, body, provider }: Job, position: number) => ({
  ...{ id: randomUUID(), ...key, priority, body, position, provider: provider ?? null },
  labels: JSON.stringify([...labels].sort()),
  state: 'waiting' as const,
  ...{ entry: null, claims: 0, deaths: 0, left_by: '[]', left_reason: null },
});

export async function cancelRun(
  session: LedgerSession,
  run: string,
  claimed: 'stop' | 'finish',
): Promise<void> {
  await session.change(async change => {
    const found = await change
      .updateTable('fleet_runs')
      .set({ cancelled: claimed === 'stop' ? 1 : 2 })
      .where('id', '=', run)
      .returning('id')
      .execute();
    if (found.length === 0) throw carrelError('FLEET_RUN_NOT_FOUND', { run, location: session.location });
    await change
      .updateTable('fleet_jobs')
      .set({ state: 'cancelled' })
      .where('run', '=', run)
      .where('state', 'in', ['waiting', 'open'])
      .execute();
    await session.announce(change, [`cancelled ${run}`, `run ${run}`]);
  });
}

/** See `Engine.acknowledge`. */
export async function acknowledgeResults(
  session: LedgerSession,
  run: string,
  sequence: number,
): Promise<void> {
  await session.change(async change => {
    const found = await change
      .updateTable('fleet_runs')
      .set(db => ({
        acknowledged: db
          .case()
          .when('acknowledged', '<', sequence)
          .then(sequence)
          .else(db.ref('acknowledged'))
          .end(),
      }))
      .where('id', '=', run)
      .returning('id')
      .execute();
    if (found.length === 0) throw carrelError('FLEET_RUN_NOT_FOUND', { run, location: session.location });
  });
}
