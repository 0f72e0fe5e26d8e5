import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Remains } from '../../domain/snapshot/remains.js';
import type { RemainsReport, SlotReport } from '../../domain/workspace/pool-report.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import { measureDiskUsage } from '../../workspace/files/directory-size.js';

/** A slot as published. */
export async function describeSlot(slot: SlotRecord): Promise<SlotReport> {
  const { id, kind, status, commit, directory, lease, owner, caches, reason, createdAt, changedAt } = slot;
  return {
    id,
    kind,
    status,
    commit,
    path: join(directory, 'tree'),
    lease,
    owner: owner && { pid: owner.pid, state: findOwnerState(owner) },
    caches: Object.keys(caches),
    reason,
    sizeBytes: await measureSlot(slot),
    createdAt,
    changedAt,
  };
}

/** Its own bytes on disk. */
export const measureSlot = ({ directory, kind }: SlotRecord): Promise<number> =>
  measureOwn(directory, kind === 'overlay');

export async function describeRemains(remains: Remains): Promise<RemainsReport> {
  const { id, workspaceName, holds, directory, lower, createdAt } = remains;
  const sizeBytes = await measureOwn(directory, lower !== null);
  return { id, of: workspaceName, holds, directory, sizeBytes, createdAt };
}

/** The `tree` of an overlay shows the files of the layer below as well, which all slots share. */
async function measureOwn(directory: string, isOverlay: boolean): Promise<number> {
  if (!isOverlay) return measureDiskUsage(directory);
  const parts = (await readdir(directory).catch(() => [])).filter(name => name !== 'tree');
  let bytes = 0;
  for (const part of parts) bytes += await measureDiskUsage(join(directory, part));
  return bytes;
}
