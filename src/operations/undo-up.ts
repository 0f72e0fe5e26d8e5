import { carrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { assessProcesses } from './assess-removal.js';
import type { Context } from './context.js';
import { findPrivateRisks } from './private-risks.js';
import { inRepositoryLock } from './repository-lock.js';
import { findSnapshotRules } from './snapshot-rules.js';
import { takeSnapshot } from './take-snapshot.js';
import { tidyRoot } from './tidy-root.js';

/**
 * Takes back a workspace that never became ready: files, registration, branch, ports, record. Once it had its files,
 * somebody may have found it and worked in it: then what differs from the start is snapshotted first, and nothing
 * happens while somebody is in there (its own setup commands are dead by now).
 */
export async function undoUp(context: Context, record: WorkspaceRecord, hadFiles: boolean): Promise<void> {
  const backend = context.backends[record.backend];
  if (hadFiles && backend.ownsFiles) await keepWork(context, record);
  await inRepositoryLock(context, record, () => backend.undoCreate(record));
  if (record.sandbox) await (await context.sandboxes()).remove(record);
  await tidyRoot(context);
  const { id, repositoryId, name, path } = record;
  const event = {
    type: 'workspace.create-failed',
    repositoryId,
    workspaceId: id,
    data: { name, path },
  } as const;
  await context.store.workspaces.remove(id, [event]);
}

async function keepWork(context: Context, record: WorkspaceRecord): Promise<void> {
  const { risks } = await assessProcesses(context, record, record.path);
  if (risks.length > 0) throw carrelError('REMOVAL_REFUSED', { name: record.name, risks });
  const backend = context.backends[record.backend];
  const [inspection] = await backend.inspect([record], { size: false, presenceOnly: true });
  // An earlier attempt to take it back, which kept the work, may have been interrupted too.
  if (inspection?.presence.kind !== 'present') return;
  const { limits } = await findSnapshotRules(context, record);
  const found = [...(await backend.findRisks(record, limits)), ...(await findPrivateRisks(context, record))];
  if (found.length === 0) return;
  const request = { id: createId('snap', context.ids), reason: 'rollback', message: null } as const;
  const snapshot = await takeSnapshot(context, record, { ...request, onCaptured: async () => {} });
  context.narrate(`what was made in ${record.name} is kept: carrel restore ${snapshot.id}`);
}
