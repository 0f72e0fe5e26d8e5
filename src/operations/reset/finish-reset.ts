import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { NewEvent } from '../../domain/event.js';
import type { JournalEntry } from '../../domain/journal.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import type { AcceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readRef } from '../../git/refs/refs.js';
import { releaseCheckpoints } from '../capture/remove-checkpoints.js';
import type { Context } from '../context.js';
import { type FilesPlan, makeFiles } from '../creation/create-workspace.js';
import { keepWork } from '../creation/undo-up.js';
import type { Progress } from '../guard/journaled.js';
import { removeOrSchedule } from '../remains/schedule-remains.js';
import { adoptAbandoned } from '../removal/finish-removal.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';
import { keepRecord, removeKeptRecord } from '../repository/kept-record.js';
import type { Settings } from '../settings/workspace-settings.js';
import { removeEmptyRoot } from '../space/workspace-root.js';
import { findBranchRisk } from './plan-reset.js';

/** Input of the irreversible part; the journal has it. */
export interface ResetEnding {
  readonly accepted: AcceptedRisks;
  readonly snapshotId: string;
  readonly startsAt?: string | undefined;
  /** For recovery, which runs no setup commands. */
  readonly settings: Settings;
  /** The snapshot's commit. */
  readonly held: string | null;
}

type ResetProgress = Pick<Progress<'reset'>, 'step' | 'pass'>;
type Making = Pick<FilesPlan, 'settings' | 'setupSignal'>;

/** What was made, and the former files, which the caller has to handle (see operations/remains/schedule-remains.ts). */
interface Finished {
  readonly ready: WorkspaceRecord;
  readonly remains: readonly Remains[];
}

/** The irreversible part: removes what is left of the workspace and makes it again. */
export async function finishReset(
  context: Context,
  record: WorkspaceRecord,
  ending: ResetEnding,
  making: Making,
  progress: ResetProgress,
): Promise<Finished> {
  const remains = await clear(context, record, ending);
  await progress.step('cleared');
  return { ready: await makeAgain(context, record, ending, making, progress), remains };
}

async function clear(
  context: Pick<Context, 'store' | 'backends' | 'sandboxes' | 'ids' | 'now' | 'self'>,
  record: WorkspaceRecord,
  ending: ResetEnding,
): Promise<Remains[]> {
  const { removal } = context.backends.of(record.backend);
  await inRepositoryLock(context, record, () => removal.unregister(record, ending.accepted, ending.held));
  await releaseCheckpoints(context, record.id, 0);
  if (record.sandbox) await (await context.sandboxes()).remove(record);
  return handOver(context, record, ending);
}

/** The former files get another name, so that the new ones can be set aside, too. */
async function handOver(
  context: Pick<Context, 'store' | 'backends' | 'now' | 'self'>,
  record: WorkspaceRecord,
  { snapshotId }: ResetEnding,
): Promise<Remains[]> {
  const { removal } = context.backends.of(record.backend);
  const present = await context.store.remains.find(snapshotId);
  if (present) return adoptAbandoned(context, present);
  const aside = removal.remainsOf?.(record);
  if (aside === undefined) {
    await removal.destroy(record);
    return [];
  }
  const directory = join(dirname(aside), `.removing-${snapshotId}`);
  if (existsSync(aside)) await rename(aside, directory);
  if (!existsSync(directory)) return [];
  const { repositoryId, repository, commonDir, branch, base } = record;
  const remains: Remains = {
    ...{ id: snapshotId, directory, holds: 'rubbish', isPartial: false, lower: null },
    ...{ repositoryId, repository, commonDir, branch, base, reason: 'reset' },
    workspaceId: record.id,
    workspaceName: record.name,
    createdAt: new Date(context.now()).toISOString(),
    owner: context.self,
  };
  await context.store.remains.insert(remains);
  return [remains];
}

async function makeAgain(
  context: Context,
  former: WorkspaceRecord,
  { startsAt }: ResetEnding,
  making: Making,
  progress: ResetProgress,
): Promise<WorkspaceRecord> {
  const { record, warnings } = await withFreeBranch(context, former);
  const made = await makeFiles(context, record, { ...making, startsAt }, progress);
  const ready = await makeReady(context, record, { ...made, warnings: [...made.warnings, ...warnings] });
  progress.pass('done');
  return ready;
}

/** A branch that got commits at the last moment is kept, and so is one that the user created meanwhile. */
async function withFreeBranch(
  { git, store }: Pick<Context, 'store' | 'git'>,
  record: WorkspaceRecord,
): Promise<{ readonly record: WorkspaceRecord; readonly warnings: readonly string[] }> {
  const { branch, commonDir, ownsBranch } = record;
  const isTaken =
    branch !== null &&
    ownsBranch &&
    commonDir !== null &&
    (await readRef(git, { gitDir: commonDir }, `refs/heads/${branch}`));
  if (!isTaken) return { record, warnings: [] };
  const other = `${branch}-reset`;
  const renamed = await store.workspaces.update(record.id, 'creating', { branch: other }, []);
  if (!renamed) throw carrelError('OPERATION_LOST', { operation: 'reset' });
  return { record: renamed, warnings: [`the branch ${branch} was kept; the workspace is on ${other}`] };
}

/** The end of every reset that is not undone. */
export async function makeReady(
  context: Pick<Context, 'store' | 'places'>,
  record: WorkspaceRecord,
  made: Partial<WorkspaceRecord>,
): Promise<WorkspaceRecord> {
  const patch = { ...made, status: 'ready', operationId: null, checkpoint: undefined } as const;
  const ready = await context.store.workspaces.update(record.id, 'creating', patch, [
    resetEvent('workspace.reset', record),
  ]);
  if (!ready) throw carrelError('OPERATION_LOST', { operation: 'reset' });
  await keepRecord(context, ready);
  return ready;
}

/** Undoes everything done before the snapshot. */
export async function undoReset(
  context: Pick<Context, 'store' | 'backends'>,
  record: WorkspaceRecord,
): Promise<void> {
  await context.backends.of(record.backend).removal.putBack(record);
  const patch = { status: 'ready', operationId: null } as const;
  await context.store.workspaces.update(record.id, 'creating', patch, [
    resetEvent('workspace.reset-undone', record),
  ]);
}

/** After a crash: back before the snapshot, forward after it, and without setup commands. */
export async function recoverReset(
  context: Context,
  entry: JournalEntry,
  record: WorkspaceRecord,
): Promise<void> {
  const { snapshotId } = entry.data as unknown as ResetEnding;
  const held = (await context.store.snapshots.find(snapshotId))?.commit ?? null;
  const ending = { ...(entry.data as unknown as ResetEnding), held };
  const step = async (name: string) => {
    await context.store.journal.advance(entry.id, context.self, name);
    context.onStep('reset', name);
  };
  const pass = (name: string) => context.onStep('reset', name);
  const progress = { step, pass };
  if (['included', 'prepared'].includes(entry.step)) {
    await makeReady(context, record, {});
    return;
  }
  if (['recorded', 'set-aside', 'captured', 'begun'].includes(entry.step)) return undoReset(context, record);
  const restart = ['cleared', 'registered', 'populated'].includes(entry.step);
  if (restart) await removeHalfMade(context, record, entry.step === 'populated');
  await finishOrRemove(context, record, ending, progress);
}

async function removeHalfMade(context: Context, record: WorkspaceRecord, hadFiles: boolean): Promise<void> {
  if (hadFiles) await keepWork(context, record);
  await inRepositoryLock(context, record, () => context.backends.of(record.backend).undoCreate(record));
}

/** When it can't be recreated, because its branch is the user's and has moved, it is removed: its work is in the snapshot. */
async function finishOrRemove(
  context: Context,
  record: WorkspaceRecord,
  ending: ResetEnding,
  progress: ResetProgress,
): Promise<void> {
  const [obstacle] = await findBranchRisk(context, record);
  if (obstacle) return removeForGood(context, record, ending, obstacle.message);
  const { remains } = await finishReset(context, record, ending, { settings: ending.settings }, progress);
  for (const warning of await removeOrSchedule(context, remains)) context.narrate(`warning: ${warning}`);
}

async function removeForGood(
  context: Context,
  record: WorkspaceRecord,
  ending: ResetEnding,
  obstacle: string,
): Promise<void> {
  const remains = await clear(context, record, ending);
  await removeKeptRecord(context, record);
  await context.store.workspaces.remove(record.id, [resetEvent('workspace.removed', record)]);
  const hint = `restore what was in it with: carrel restore ${ending.snapshotId}`;
  context.narrate(`warning: ${record.name} could not be recreated and was removed: ${obstacle}; ${hint}`);
  for (const warning of await removeOrSchedule(context, remains)) context.narrate(`warning: ${warning}`);
  await removeEmptyRoot(context);
}

export const resetEvent = (type: NewEvent['type'], record: WorkspaceRecord): NewEvent => ({
  type,
  repositoryId: record.repositoryId,
  workspaceId: record.id,
  data: { name: record.name, path: record.path, branch: record.branch },
});
