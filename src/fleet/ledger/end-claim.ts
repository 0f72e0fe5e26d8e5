import { randomUUID } from 'node:crypto';
import type { Claim } from '../engine/engine.js';
import { MOST_LEAVERS } from './job-group.js';
import type { LedgerChange, LedgerSession } from './ledger-session.js';
import type { ClaimRow, JobRow } from './ledger-tables.js';
import { fileJobs, openWindow } from './open-window.js';
import { writeResult } from './write-result.js';

/** After this many dead hosts or crashed handlers a job is given up. */
const MOST_DEATHS = 3;

/** Why a claim ends without a result. `left`: its host can't do the job. The other two count as a death of the job. */
export type EndReason =
  | { readonly kind: 'left'; readonly text: string; readonly session: string }
  | { readonly kind: 'crashed'; readonly text: string }
  | { readonly kind: 'silent'; readonly text: string; readonly lifeMs: number };

/**
 * Ends a claim, so that the job is open again, given up, or cancelled with its run. Undefined when the claim is no
 * longer the current one, or has beaten again in the meantime.
 */
export async function endClaim(
  session: LedgerSession,
  claim: Claim,
  reason: EndReason,
): Promise<'open' | 'gave-up' | 'cancelled' | undefined> {
  return session.change(async change => {
    const ended = await deleteClaim(session, change, claim, reason.kind === 'silent' ? reason.lifeMs : 0);
    if (!ended) return undefined;
    const isCancelled = await returnMoney(change, ended, reason);
    const job = await countDeath(change, ended, reason);
    const outcome = decide(job, isCancelled);
    if (outcome === 'gave-up') await giveUp(session, change, claim, reason);
    if (outcome === 'open') await openAgain(session, change, ended, job, reason);
    else await close(session, change, ended, outcome);
    await session.announce(change, ['jobs', `run ${ended.run}`]);
    return outcome;
  });
}

/** The fence of the ledger: one transaction deletes the row, or none. */
export async function deleteClaim(
  { now }: LedgerSession,
  change: LedgerChange,
  claim: Claim,
  silentForMs = 0,
): Promise<ClaimRow | undefined> {
  let query = change
    .deleteFrom('fleet_claims')
    .where('entry', '=', claim.id)
    .where('number', '=', claim.number)
    .where('host', '=', claim.host);
  if (silentForMs > 0)
    query = query.where(db => db('beat_at', '<', db(db.val(-silentForMs), '+', now as never)));
  return query.returningAll().executeTakeFirst();
}

/** What a dead host had reserved counts as spent: it may have been. */
async function returnMoney(
  change: LedgerChange,
  { run, reserved_micros }: ClaimRow,
  { kind }: EndReason,
): Promise<boolean> {
  const unknown = kind === 'left' ? 0 : reserved_micros;
  const { cancelled } = await change
    .updateTable('fleet_runs')
    .set(db => ({
      reserved_micros: db('reserved_micros', '-', reserved_micros),
      spent_micros: db('spent_micros', '+', unknown),
      unknown_micros: db('unknown_micros', '+', unknown),
    }))
    .where('id', '=', run)
    .returning('cancelled')
    .executeTakeFirstOrThrow();
  return cancelled > 0;
}

function countDeath(change: LedgerChange, { job }: ClaimRow, { kind }: EndReason): Promise<JobRow> {
  return change
    .updateTable('fleet_jobs')
    .set(db => ({ deaths: db('deaths', '+', kind === 'left' ? 0 : 1) }))
    .where('id', '=', job)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function decide({ deaths }: JobRow, isCancelled: boolean): 'open' | 'gave-up' | 'cancelled' {
  if (isCancelled) return 'cancelled';
  return deaths >= MOST_DEATHS ? 'gave-up' : 'open';
}

async function giveUp(
  session: LedgerSession,
  change: LedgerChange,
  claim: Claim,
  { text }: EndReason,
): Promise<void> {
  const gaveUp = `${MOST_DEATHS} claims of this job ended without a result; the last one: ${text}`;
  await writeResult(session, change, claim, { record: null, gaveUp, costMicros: 0, reservedMicros: 0 });
}

/** A job that was left becomes a new entry, which its host ignores; others are claimed again at their old place. */
async function openAgain(
  session: LedgerSession,
  change: LedgerChange,
  { entry: id, retry }: ClaimRow,
  job: JobRow,
  reason: EndReason,
): Promise<void> {
  const update = change.updateTable('fleet_jobs').where('id', '=', job.id);
  if (reason.kind !== 'left') {
    await update.set({ state: 'open' }).execute();
    await session.queue.giveBack(change, { id, retry });
    return;
  }
  const leavers = [...(JSON.parse(job.left_by) as string[]), reason.session].slice(-MOST_LEAVERS);
  const left = { entry: randomUUID(), left_by: JSON.stringify(leavers), left_reason: reason.text };
  await update.set({ state: 'open', ...left }).execute();
  await session.queue.finish(change, { id, retry });
  await fileJobs(session, change, [{ ...job, ...left }]);
}

async function close(
  session: LedgerSession,
  change: LedgerChange,
  { entry: id, retry, job, run }: ClaimRow,
  outcome: 'gave-up' | 'cancelled',
): Promise<void> {
  const state = outcome === 'gave-up' ? 'done' : 'cancelled';
  await change.updateTable('fleet_jobs').set({ state }).where('id', '=', job).execute();
  await session.queue.finish(change, { id, retry });
  if (outcome === 'gave-up') await openWindow(session, change, run);
}
