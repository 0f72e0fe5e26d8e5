import { setTimeout as sleep } from 'node:timers/promises';
import { carrelError } from '../../domain/error/error.js';
import type { NewEvent } from '../../domain/event.js';
import type { JournalEntry, JournalKind } from '../../domain/journal.js';
import { isSameProcess, LONGEST_SILENCE_MS, NO_OWNER } from '../../domain/process-identity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import type { Tables } from '../../store/store.js';
import type { Context } from '../context.js';

/**
 * A workspace is claimed while a snapshot of it is taken, by the snapshot's journal entry, which is written only while the workspace
 * is ready. An operation that moves or removes its files claims it by its status, and only while there is no such entry. Each
 * checks and writes in one transaction, so one of the two always sees the other. Concurrent snapshots are fine: they only read.
 */
export function beginSnapshot(
  { store }: Pick<Context, 'store'>,
  record: WorkspaceRecord,
): (entry: JournalEntry) => Promise<void> {
  return entry =>
    store.atomically(async ({ workspaces, journal }) => {
      requireFound(record, await workspaces.find(record.id));
      await journal.begin(entry);
    });
}

/** WORKSPACE_NOT_FOUND, WORKSPACE_BUSY */
function requireFound({ name }: WorkspaceRecord, present: WorkspaceRecord | undefined): void {
  if (!present) throw carrelError('WORKSPACE_NOT_FOUND', { name, known: [] });
  if (present.status !== 'ready') throw carrelError('WORKSPACE_BUSY', { name, status: present.status });
}

/** Most snapshots take less; a removal that waits longer should be retried. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;

interface Patience {
  /** What it does not run at the same time as. */
  readonly kinds?: readonly JournalKind[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly patienceMs?: number | undefined;
}

/**
 * Runs a change of the store in a transaction while no snapshot of the workspace is being taken. Waits briefly for a running one,
 * then WORKSPACE_BUSY.
 */
export async function unlessSnapshotted<T>(
  context: Pick<Context, 'store' | 'now' | 'narrate'>,
  { id, name }: WorkspaceRecord,
  change: (tables: Tables) => Promise<T>,
  { signal, patienceMs = PATIENCE_MS, kinds = ['snapshot'] }: Patience = {},
): Promise<T> {
  const start = performance.now();
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted();
    const outcome = await context.store.atomically(async tables =>
      (await isBeingTaken(context, tables, id, kinds)) ? undefined : { changed: await change(tables) },
    );
    if (outcome) return outcome.changed;
    if (performance.now() - start >= patienceMs)
      throw carrelError('WORKSPACE_BUSY', { name, status: 'in use: a snapshot is being taken' });
    if (isFirst) context.narrate(`waiting for ${name}: a snapshot is being taken`);
    await sleep(PAUSE_MS);
  }
}

/** For a removal that is about to begin: a refused one has stopped nothing. */
export async function awaitSnapshot(
  context: Pick<Context, 'store' | 'now' | 'narrate'>,
  record: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<void> {
  if (await isBeingTaken(context, context.store, record.id))
    await unlessSnapshotted(context, record, async () => {}, { signal });
}

/** Gives a ready workspace another status, for one process alone and not while a snapshot of it is taken. WORKSPACE_BUSY. */
export async function claimReady(
  context: Pick<Context, 'store' | 'now' | 'narrate'>,
  record: WorkspaceRecord,
  patch: Parameters<Tables['workspaces']['update']>[2],
  event: NewEvent,
  patience: Patience = {},
): Promise<WorkspaceRecord> {
  const { id, name } = record;
  const change = ({ workspaces }: Tables) => workspaces.update(id, 'ready', patch, [event]);
  const claimed = await unlessSnapshotted(context, record, change, patience);
  if (claimed) return claimed;
  const present = await context.store.workspaces.find(id);
  throw present
    ? carrelError('WORKSPACE_BUSY', { name, status: present.status })
    : carrelError('WORKSPACE_NOT_FOUND', { name, known: [] });
}

async function isBeingTaken(
  { now }: Pick<Context, 'now'>,
  { journal }: Pick<Tables, 'journal'>,
  workspaceId: string,
  kinds: readonly JournalKind[] = ['snapshot'],
): Promise<boolean> {
  const entries = await journal.list();
  return entries.some(
    entry => kinds.includes(entry.kind) && entry.workspaceId === workspaceId && isLive(entry, now()),
  );
}

/** `recover` cleans up after dead processes, and one that can't be checked does not block forever. */
function isLive({ owner, startedAt }: JournalEntry, now: number): boolean {
  if (isSameProcess(owner, NO_OWNER)) return false;
  const state = findOwnerState(owner);
  return state === 'alive' || (state === 'unknown' && now - Date.parse(startedAt) < LONGEST_SILENCE_MS);
}
