import type { WorkHost } from '../engine/host.js';
import type { LedgerChange, LedgerSession } from './ledger-session.js';

/** What a host writes with each beat. */
export interface Beat {
  readonly host: WorkHost;
  readonly session: string;
  readonly diskFreeBytes: number | null;
  readonly refusing: string | null;
  /** The entries of its claims. */
  readonly entries: readonly string[];
}

export interface BeatAnswer {
  /** Whether the host is to be drained. */
  readonly isDraining: boolean;
  /** Of the claims, those that it still has, and whether their run was cancelled. */
  readonly claims: ReadonlyMap<string, { readonly number: number; readonly isCancelled: boolean }>;
}

/** Shows that a host lives, and all of its claims with it, in one statement each. */
export async function beatHost(session: LedgerSession, beat: Beat): Promise<BeatAnswer> {
  return session.change(async change => {
    const draining = await writeHost(session, change, beat);
    const rows = beat.entries.length === 0 ? [] : await beatClaims(session, change, beat);
    const claims = rows.map(
      row => [row.entry, { number: row.number, isCancelled: row.cancelled === 1 }] as const,
    );
    return { isDraining: draining, claims: new Map(claims) };
  });
}

async function writeHost({ now }: LedgerSession, change: LedgerChange, beat: Beat): Promise<boolean> {
  const { id, name, labels, slots, versions } = beat.host;
  const fields = {
    ...{ session: beat.session, name, slots, gone: 0, beat_at: now },
    labels: JSON.stringify(labels),
    versions: JSON.stringify(versions),
    disk_free: beat.diskFreeBytes,
    refusing: beat.refusing,
  };
  const row = await change
    .insertInto('fleet_hosts')
    .values({ id, draining: 0, ...fields })
    .onConflict(conflict => conflict.column('id').doUpdateSet(fields))
    .returning('draining')
    .executeTakeFirstOrThrow();
  return row.draining === 1;
}

function beatClaims({ now }: LedgerSession, change: LedgerChange, { session, entries }: Beat) {
  return change
    .updateTable('fleet_claims')
    .set({ beat_at: now })
    .where('session', '=', session)
    .where('entry', 'in', entries)
    .returning(db => [
      'entry',
      'number',
      db
        .selectFrom('fleet_runs')
        .select('fleet_runs.cancelled')
        .whereRef('fleet_runs.id', '=', 'fleet_claims.run')
        .as('cancelled'),
    ])
    .execute();
}

/** Keeps what a handler said about its claim. */
export async function writeReport(
  session: LedgerSession,
  claim: { readonly id: string; readonly number: number },
  report: string,
): Promise<void> {
  await session.change(change =>
    change
      .updateTable('fleet_claims')
      .set({ report })
      .where('entry', '=', claim.id)
      .where('number', '=', claim.number)
      .execute(),
  );
}

/** A new `work` of a host: an earlier request to drain it is over. */
export async function arriveHost(session: LedgerSession, beat: Beat): Promise<void> {
  await session.change(async change => {
    await writeHost(session, change, beat);
    await change.updateTable('fleet_hosts').set({ draining: 0 }).where('id', '=', beat.host.id).execute();
  });
}

/** Its `work` has returned. */
export async function leaveHost(session: LedgerSession, id: string, own: string): Promise<void> {
  await session.change(change =>
    change
      .updateTable('fleet_hosts')
      .set({ gone: 1, draining: 0 })
      .where('id', '=', id)
      .where('session', '=', own)
      .execute(),
  );
}

/** Whether there is such a host. */
export async function drainHost(session: LedgerSession, id: string): Promise<boolean> {
  return session.change(async change => {
    const rows = await change
      .updateTable('fleet_hosts')
      .set({ draining: 1 })
      .where('id', '=', id)
      .returning('id')
      .execute();
    await session.announce(change, ['hosts']);
    return rows.length === 1;
  });
}
