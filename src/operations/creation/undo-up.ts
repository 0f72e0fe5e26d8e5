import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { takeSnapshot } from '../capture/take-snapshot.js';
import type { Context } from '../context.js';
import { assessProcesses } from '../removal/assess-removal.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';
import { removeKeptRecord } from '../repository/kept-record.js';
import { findPrivateRisks } from '../sandbox/sandbox-risks.js';
import { findSnapshotRules } from '../settings/snapshot-rules.js';
import { removeEmptyRoot } from '../space/workspace-root.js';

/**
 * Undoes a workspace that never became ready: files, registration, branch, ports, record. Once it had its files, the user may have
 * found it and worked in it: then changes since the start are snapshotted first, and nothing happens while a process works in it (its
 * own setup commands are dead by now).
 */
export async function undoUp(context: Context, record: WorkspaceRecord, hadFiles: boolean): Promise<void> {
  const backend = context.backends.of(record.backend);
  if (hadFiles && backend.ownsFiles) await keepWork(context, record);
  await inRepositoryLock(context, record, () => backend.undoCreate(record));
  if (record.sandbox) await (await context.sandboxes()).remove(record);
  await removeKeptRecord(context, record);
  await removeEmptyRoot(context);
  const { id, repositoryId, name, path } = record;
  const event = {
    type: 'workspace.create-failed',
    repositoryId,
    workspaceId: id,
    data: { name, path },
  } as const;
  await context.store.workspaces.remove(id, [event]);
}

/** A snapshot of what the user did in files that are not ready yet. */
export async function keepWork(context: Context, record: WorkspaceRecord): Promise<void> {
  const { risks } = await assessProcesses(context, record, record.path);
  if (risks.length > 0) throw carrelError('REMOVAL_REFUSED', { name: record.name, risks });
  const backend = context.backends.of(record.backend);
  const [inspection] = await backend.inspect([record], { size: false, presenceOnly: true });
  // An earlier undo that kept the work may have been interrupted too.
  if (inspection?.presence.kind !== 'present') return;
  const { limits } = await findSnapshotRules(context, record);
  const found = [...(await backend.findRisks(record, limits)), ...(await findPrivateRisks(context, record))];
  if (found.length === 0) return;
  const request = { id: createId('snap', context.ids), reason: 'rollback', message: null } as const;
  const snapshot = await takeSnapshot(context, record, { ...request, onCaptured: async () => {} });
  context.narrate(`the work in ${record.name} was kept; restore it with: carrel restore ${snapshot.id}`);
}
