import { carrelError } from '../../domain/error/error.js';
import type { Claim, Recorded } from '../engine/engine.js';
import { LONGEST_RECORD } from '../engine/job.js';
import { deleteClaim } from './end-claim.js';
import type { LedgerChange, LedgerSession } from './ledger-session.js';
import { toMicros } from './money.js';
import { openWindow } from './open-window.js';
import { writeResult } from './write-result.js';

/** See `Engine.record`. */
export async function recordResult(
  session: LedgerSession,
  claim: Claim,
  result: { readonly record: string; readonly costUsd: number },
): Promise<Recorded> {
  const bytes = Buffer.byteLength(result.record);
  const { task } = claim.job.key;
  if (bytes > LONGEST_RECORD)
    throw carrelError('FLEET_RECORD_TOO_LARGE', { task, bytes, limit: LONGEST_RECORD });
  return session.change(change => record(session, change, claim, result)).catch(answerStale);
}

/** Thrown to roll back. */
const STALE = Symbol('stale');

function answerStale(error: unknown): 'stale' {
  if (error === STALE) return 'stale';
  throw error;
}

async function record(
  session: LedgerSession,
  change: LedgerChange,
  claim: Claim,
  { record, costUsd }: { readonly record: string; readonly costUsd: number },
): Promise<Recorded> {
  const ended = await deleteClaim(session, change, claim);
  if (!ended) return (await wasRecorded(change, claim)) ? 'recorded' : 'stale';
  const { run, entry: id, retry, reserved_micros: reservedMicros } = ended;
  const costMicros = toMicros(costUsd);
  const result = { record, gaveUp: null, costMicros, reservedMicros };
  // First what needs no lock of the run: results of one run wait for each other from `writeResult` to the end.
  if (!(await session.queue.finish(change, { id, retry }))) throw STALE;
  const { isCancelled } = await writeResult(session, change, claim, result);
  await change.updateTable('fleet_jobs').set({ state: 'done' }).where('id', '=', ended.job).execute();
  const opened = isCancelled ? 0 : await openWindow(session, change, run);
  await session.announce(change, opened > 0 ? ['jobs', `run ${run}`] : [`run ${run}`]);
  return 'recorded';
}

/** The answer to the first call may have been lost with the connection. */
async function wasRecorded(change: LedgerChange, { job: { key }, number, host }: Claim): Promise<boolean> {
  const found = await change
    .selectFrom('fleet_results')
    .select('sequence')
    .where('run', '=', key.run)
    .where('task', '=', key.task)
    .where('attempt', '=', key.attempt)
    .where('claim', '=', number)
    .where('host', '=', host)
    .where('record', 'is not', null)
    .executeTakeFirst();
  return found !== undefined;
}
