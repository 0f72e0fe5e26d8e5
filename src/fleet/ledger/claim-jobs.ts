import type { Claim } from '../engine/engine.js';
import { canDo, providerOfGroup } from './job-group.js';
import type { LedgerChange, LedgerSession, TakenEntry } from './ledger-session.js';
import type { JobRow } from './ledger-tables.js';
import { findLimited } from './provider-limits.js';

export interface Claimant {
  readonly host: string;
  readonly session: string;
  readonly labels: readonly string[];
  /** Groups that this claimant can't do, as it meets them. */
  readonly foreignGroups: Set<string>;
  /** Groups whose provider is to be left alone, until a time of the monotonic clock. */
  readonly pausedGroups: Map<string, number>;
}

/** A host that met more different groups than this forgets them and meets them again. */
const MOST_GROUPS = 500;

/** Claims at most `limit` open jobs that this host can do. */
export async function claimJobs(session: LedgerSession, claimant: Claimant, limit: number): Promise<Claim[]> {
  const { foreignGroups, pausedGroups } = claimant;
  if (foreignGroups.size > MOST_GROUPS) foreignGroups.clear();
  for (const [group, until] of pausedGroups) if (until <= performance.now()) pausedGroups.delete(group);
  for (;;) {
    const outcome = await session.change(change => tryClaiming(session, change, claimant, limit)).catch(meet);
    if (Array.isArray(outcome)) return outcome;
    for (const group of outcome.foreign) foreignGroups.add(group);
    for (const [group, forMs] of outcome.paused) pausedGroups.set(group, performance.now() + forMs);
  }
}

/** Thrown to roll back: queues take entries by order, and these are for other hosts, or for later. */
class ForeignEntries {
  constructor(
    readonly foreign: readonly string[],
    readonly paused: ReadonlyMap<string, number> = new Map(),
  ) {}
}

function meet(error: unknown): ForeignEntries {
  if (error instanceof ForeignEntries) return error;
  throw error;
}

async function tryClaiming(
  session: LedgerSession,
  change: LedgerChange,
  claimant: Claimant,
  limit: number,
): Promise<Claim[] | ForeignEntries> {
  const ignoring = [...claimant.foreignGroups, ...claimant.pausedGroups.keys()];
  const taken = await session.queue.take(change, { limit, ignoring });
  if (taken.length === 0) return [];
  const foreign = taken.filter(({ group }) => !canDo(group, claimant)).map(({ group }) => group);
  const paused = await findPaused(session, change, taken);
  if (foreign.length > 0 || paused.size > 0) throw new ForeignEntries(foreign, paused);
  const jobs = await markClaimed(change, taken);
  await dropDead(session, change, taken, jobs);
  if (jobs.length === 0) return new ForeignEntries([]);
  await insertClaims(session, change, claimant, taken, jobs);
  return inOrder(taken, jobs).map(job => toClaim(job, claimant.host));
}

/** The groups of taken entries whose provider is limited, and for how many milliseconds. */
async function findPaused(
  session: LedgerSession,
  change: LedgerChange,
  taken: readonly TakenEntry[],
): Promise<Map<string, number>> {
  const groups = new Map(taken.map(({ group }) => [group, providerOfGroup(group)]));
  const providers = [...new Set([...groups.values()].filter(provider => provider !== undefined))];
  const limited = await findLimited(session, change, providers);
  return new Map(
    [...groups].flatMap(([group, provider]) => {
      const forMs = provider === undefined ? undefined : limited.get(provider);
      return forMs === undefined ? [] : [[group, forMs] as const];
    }),
  );
}

/** Only what is still open: a job may have been cancelled while its entry was in the queue. */
function markClaimed(change: LedgerChange, taken: readonly TakenEntry[]): Promise<JobRow[]> {
  const entries = taken.map(({ id }) => id);
  return change
    .updateTable('fleet_jobs')
    .set(db => ({ state: 'claimed', claims: db('claims', '+', 1) }))
    .where('entry', 'in', entries)
    .where('state', '=', 'open')
    .returningAll()
    .execute();
}

async function dropDead(
  session: LedgerSession,
  change: LedgerChange,
  taken: readonly TakenEntry[],
  jobs: readonly JobRow[],
): Promise<void> {
  const alive = new Set(jobs.map(job => job.entry));
  for (const entry of taken) if (!alive.has(entry.id)) await session.queue.finish(change, entry);
}

async function insertClaims(
  { now }: LedgerSession,
  change: LedgerChange,
  { host, session }: Claimant,
  taken: readonly TakenEntry[],
  jobs: readonly JobRow[],
): Promise<void> {
  const retries = new Map(taken.map(entry => [entry.id, entry.retry]));
  const rows = jobs.map(job => ({
    ...{ entry: job.entry as string, job: job.id, run: job.run, number: job.claims, host, session },
    retry: retries.get(job.entry as string) as number,
    ...{ since: now, beat_at: now, reserved_micros: 0, report: null },
  }));
  await change.insertInto('fleet_claims').values(rows).execute();
}

function inOrder(taken: readonly TakenEntry[], jobs: readonly JobRow[]): JobRow[] {
  const order = new Map(taken.map((entry, index) => [entry.id, index]));
  const place = (job: JobRow) => order.get(job.entry as string) as number;
  return [...jobs].sort((a, b) => place(a) - place(b));
}

export function toClaim(
  row: Pick<JobRow, 'entry' | 'run' | 'task' | 'attempt' | 'priority' | 'labels' | 'body' | 'claims'>,
  host: string,
): Claim {
  const { run, task, attempt, priority, body } = row;
  const labels = JSON.parse(row.labels) as string[];
  const job = { key: { run, task, attempt }, priority, labels, body };
  return { id: row.entry as string, number: row.claims, host, job };
}
