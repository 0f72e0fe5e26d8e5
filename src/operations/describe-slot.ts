import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RemainsReport, SlotReport } from '../domain/pool-report.js';
import type { Remains } from '../domain/remains.js';
import type { SlotRecord } from '../domain/slot.js';
import { isAlive } from '../exec/process-identity.js';
import { measureDirectory } from '../workspace/size.js';

/** A slot as people and programs see it. */
export async function describeSlot(slot: SlotRecord): Promise<SlotReport> {
  const { id, kind, status, commit, directory, lease, owner, caches, reason, createdAt, changedAt } = slot;
  return {
    id,
    kind,
    status,
    commit,
    path: join(directory, 'tree'),
    lease,
    owner: owner && { pid: owner.pid, state: isAlive(owner) },
    caches: Object.keys(caches),
    reason,
    sizeBytes: await measureSlot(slot),
    createdAt,
    changedAt,
  };
}

/** Bytes on disk that are its own. */
export const measureSlot = ({ directory, kind }: SlotRecord): Promise<number> =>
  measureOwn(directory, kind === 'overlay');

export async function describeRemains(remains: Remains): Promise<RemainsReport> {
  const { id, workspaceName, holds, directory, lower, createdAt } = remains;
  const sizeBytes = await measureOwn(directory, lower !== null);
  return { id, of: workspaceName, holds, directory, sizeBytes, createdAt };
}

/** The `tree` of an overlay shows the files of the layer below as well, which all slots share. */
async function measureOwn(directory: string, isOverlay: boolean): Promise<number> {
  if (!isOverlay) return measureDirectory(directory);
  const parts = (await readdir(directory).catch(() => [])).filter(name => name !== 'tree');
  let bytes = 0;
  for (const part of parts) bytes += await measureDirectory(join(directory, part));
  return bytes;
}
