import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { createId } from '../../domain/id.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { makeSharedDirectory, moveInto } from '../../git/disk/shared-directory.js';
import { holdTemplate, templateOfLayer } from '../../workspace/template/template-place.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { remainsDirectory, rootOfSlot, slotPlace } from './slot-place.js';

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
  if (!isThere(aside)) return null;
  // It could not be captured: it stays, and the slot with it.
  if (content.holds === 'work' && !isThere(join(aside, 'git'))) return null;
  // Work may be in the git directory alone: a branch, or what was staged and deleted. Without files there is nothing to inspect.
  await makeSharedDirectory(join(aside, 'tree'));
  return leaveRemains(dependencies, slot, content, directory => moveInto(aside, directory));
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Records remains, has `move` put them into their directory and announces them. When that fails before they are there,
 * the record is removed: others would wait for what this process, being alive, will never clean up.
 */
export async function leaveRemains(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  content: RemainsContent,
  move: (directory: string) => Promise<void>,
): Promise<string> {
  const remains = describeRemains(dependencies, slot, content);
  const { id, directory } = remains;
  const { store, onRemains } = dependencies;
  await store.remains.insert(remains);
  try {
    // The work of an overlay is read through the layers below it, for as long as it is there.
    const [top] = content.holds === 'work' ? (content.lower?.split(':') ?? []) : [];
    if (top !== undefined) await holdTemplate(templateOfLayer(top), id, directory);
    await move(directory);
  } catch (error) {
    if (existsSync(directory)) onRemains(id);
    else await store.remains.remove(id);
    throw error;
  }
  onRemains(id);
  return id;
}

function describeRemains(
  { ids, now, self }: PoolDependencies,
  slot: SlotRecord,
  content: RemainsContent,
): Remains {
  const id = createId('snap', ids);
  return {
    ...content,
    id,
    directory: remainsDirectory(rootOfSlot(slot), id),
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
}
