import type { Kysely } from 'kysely';
import { carrelError } from '../../../domain/error/error.js';
import type { HostReport } from '../../engine/host.js';
import type { JobResult } from '../../engine/job.js';
import type { ClaimProgress, RunProgress, RunSummary } from '../../engine/run.js';
import type { LedgerSession } from '../ledger-session.js';
import type { JobRow, LedgerTables, ResultRow } from '../ledger-tables.js';
import { toUsd } from '../money.js';

const MOST_RESULTS = 1000;

export function listResults(session: LedgerSession, run: string, after: number): Promise<JobResult[]> {
  return session.read(async db => {
    const rows = await db
      .selectFrom('fleet_results')
      .selectAll()
      .where('run', '=', run)
      .where('sequence', '>', after)
      .orderBy('sequence')
      .limit(MOST_RESULTS)
      .execute();
    if (rows.length === 0) await requireRun(session, db, run);
    return rows.map(toResult);
  });
}

function toResult(row: ResultRow): JobResult {
  const { run, task, attempt, sequence, claim, host, record } = row;
  return {
    ...{ key: { run, task, attempt }, sequence, claim, host, record },
    gaveUp: row.gave_up,
    costUsd: toUsd(row.cost_micros),
    recordedAt: row.recorded_at,
  };
}

export function listBodies(
  session: LedgerSession,
  run: string,
  after: number,
): Promise<{ position: number; body: string }[]> {
  return session.read(db =>
    db
      .selectFrom('fleet_jobs')
      .select(['position', 'body'])
      .where('run', '=', run)
      .where('position', '>', after)
      .orderBy('position')
      .limit(MOST_RESULTS)
      .execute(),
  );
}

export function listRuns(session: LedgerSession): Promise<RunSummary[]> {
  return session.read(async db => {
    const rows = await db.selectFrom('fleet_runs').selectAll().orderBy('submitted_at', 'desc').execute();
    const counts = await countJobs(db);
    return rows.map(row => toSummary(row, counts.get(row.id)));
  });
}

export function readProgress(session: LedgerSession, run: string): Promise<RunProgress> {
  return session.read(async db => {
    const row = await requireRun(session, db, run);
    const counts = await countJobs(db, run);
    const claims = await listClaims(db, { run });
    return { ...toSummary(row, counts.get(run)), claims, left: await listLeft(db, run) };
  });
}

/** Whether every job is done or cancelled. Counts none of them, because a run may have many. */
export function isRunOver(session: LedgerSession, run: string): Promise<boolean> {
  return session.read(async db => {
    const left = await db
      .selectFrom('fleet_jobs')
      .select('id')
      .where('run', '=', run)
      .where('state', 'in', ['waiting', 'open', 'claimed'])
      .limit(1)
      .executeTakeFirst();
    return left === undefined;
  });
}

async function requireRun(session: LedgerSession, db: Kysely<LedgerTables>, run: string) {
  const row = await db.selectFrom('fleet_runs').selectAll().where('id', '=', run).executeTakeFirst();
  if (!row) throw carrelError('FLEET_RUN_NOT_FOUND', { run, location: session.location });
  return row;
}

type Counts = Partial<Record<JobRow['state'], number>>;

async function countJobs(db: Kysely<LedgerTables>, run?: string): Promise<Map<string, Counts>> {
  let query = db
    .selectFrom('fleet_jobs')
    .select(select => ['run', 'state', select.fn.countAll<number | string>().as('count')])
    .groupBy(['run', 'state']);
  if (run !== undefined) query = query.where('run', '=', run);
  const found = new Map<string, Counts>();
  for (const row of await query.execute())
    found.set(row.run, { ...found.get(row.run), [row.state]: Number(row.count) });
  return found;
}

function toSummary(row: LedgerTables['fleet_runs'], counts: Counts = {}): RunSummary {
  const { waiting = 0, open = 0, claimed = 0, done = 0, cancelled = 0 } = counts;
  const isOver = waiting + open + claimed === 0;
  return {
    ...{ run: row.id, plan: row.plan, parallelism: row.parallelism },
    ...{ results: row.results, acknowledged: row.acknowledged },
    costLimitUsd: row.limit_micros === null ? null : toUsd(row.limit_micros),
    state: row.cancelled > 0 ? 'cancelled' : isOver ? 'finished' : 'running',
    submittedAt: row.submitted_at,
    jobs: { waiting, open, claimed, done, cancelled },
    spentUsd: toUsd(row.spent_micros),
    unknownUsd: toUsd(row.unknown_micros),
    reservedUsd: toUsd(row.reserved_micros),
  };
}

/** The longest first. */
export async function listClaims(
  db: Kysely<LedgerTables>,
  filter: { readonly run?: string } = {},
): Promise<ClaimProgress[]> {
  let query = db
    .selectFrom('fleet_claims')
    .innerJoin('fleet_jobs', 'fleet_jobs.id', 'fleet_claims.job')
    .select(['fleet_jobs.run', 'fleet_jobs.task', 'fleet_jobs.attempt'])
    .select(['fleet_claims.host', 'fleet_claims.number', 'fleet_claims.since', 'fleet_claims.report'])
    .orderBy('fleet_claims.since');
  if (filter.run !== undefined) query = query.where('fleet_claims.run', '=', filter.run);
  return (await query.execute()).map(({ run, task, attempt, host, number, since, report }) => ({
    ...{ key: { run, task, attempt }, host, claim: number, since },
    report: report === null ? null : (JSON.parse(report) as HostReport),
  }));
}

async function listLeft(db: Kysely<LedgerTables>, run: string): Promise<RunProgress['left']> {
  const rows = await db
    .selectFrom('fleet_jobs')
    .select(['task', 'attempt', 'left_reason'])
    .where('run', '=', run)
    .where('state', '=', 'open')
    .where('left_reason', 'is not', null)
    .execute();
  return rows.map(({ task, attempt, left_reason }) => ({
    key: { run, task, attempt },
    reason: left_reason ?? '',
  }));
}
