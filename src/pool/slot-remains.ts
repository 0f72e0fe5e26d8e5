import { lstatSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createId } from '../domain/id.js';
import type { Remains } from '../domain/remains.js';
import type { SlotRecord } from '../domain/slot.js';
import { holdTemplate, templateOfLayer } from '../workspace/template-place.js';
import type { PoolDependencies } from './pool-dependencies.js';
import { remainsDirectory, slotPlace } from './slot-place.js';

export type RemainsContent = Pick<Remains, 'holds' | 'isPartial' | 'lower'>;

/**
 * What a reset put aside leaves the slot and becomes remains. Gives their id; null when there is nothing. Until this is
 * done it lies in the slot's own directory, and the slot's record accounts for it.
 */
export async function handOverAside(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  content: RemainsContent,
): Promise<string | null> {
  const { aside } = slotPlace(slot.directory);
  if (lstatSync(aside, { throwIfNoEntry: false }) === undefined) return null;
  // Work may be in the git directory alone: a branch, or what was staged and deleted. Without files there is no looking.
  await mkdir(join(aside, 'tree'), { recursive: true });
  const remains = await recordRemains(dependencies, slot, content);
  await mkdir(dirname(remains.directory), { recursive: true });
  await rename(aside, remains.directory);
  dependencies.onRemains(remains.id);
  return remains.id;
}

/** Recorded before they are there: remains without a directory are no remains. */
export async function recordRemains(
  { store, ids, now, self, root }: PoolDependencies,
  slot: SlotRecord,
  content: RemainsContent,
): Promise<Remains> {
  const id = createId('snap', ids);
  const remains: Remains = {
    ...content,
    id,
    directory: remainsDirectory(root, id),
    repositoryId: slot.repositoryId,
    repository: slot.repository,
    commonDir: slot.commonDir,
    workspaceId: slot.id,
    workspaceName: slot.id,
    branch: null,
    base: { ref: null, commit: slot.commit || null },
    reason: 'pool',
    createdAt: new Date(now()).toISOString(),
    owner: self,
  };
  await store.remains.insert(remains);
  // What an overlay left is read through the layers below it, for as long as it is there.
  const [top] = content.lower?.split(':') ?? [];
  if (top !== undefined) await holdTemplate(templateOfLayer(top), id, remains.directory);
  return remains;
}
