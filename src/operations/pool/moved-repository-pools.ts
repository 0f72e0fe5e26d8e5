import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';
import { relinkPrivateGit } from '../../git/repository/private-git.js';
import { privateGitOf } from '../../pool/slot/slot-git.js';
import { pinOf } from '../../pool/slot/slot-pin.js';
import { poolDirectory } from '../../pool/slot/slot-place.js';
import { resolveRoot } from '../../workspace/location/choose-folder.js';
import type { Context } from '../context.js';
import type { GitRepository } from '../repository/find-unrecorded.js';
import { workspaceRootOf } from '../space/workspace-root.js';
import { withPool } from './open-pool.js';

/**
 * The slots of a moved repository are stored under its former id, which is never used again. So they are removed with their pins in
 * the repository, and work in them is kept. Those used by a live process stay, and are recorded here.
 */
export async function retireFormerPools(
  context: Context,
  repository: GitRepository,
  slots: readonly SlotRecord[],
): Promise<void> {
  for (const slot of slots) await followSlot(context, repository, slot);
  for (const id of new Set(slots.map(({ repositoryId }) => repositoryId)))
    await retirePool(context, repository, id);
}

async function followSlot(
  { store }: Pick<Context, 'store'>,
  repository: GitRepository,
  slot: SlotRecord,
): Promise<void> {
  const { root, commonDir } = repository;
  const expected = { status: slot.status, owner: slot.owner };
  const moved = await store.slots.update(slot.id, expected, { repository: root, commonDir }, []);
  if (moved) await relinkPrivateGit(privateGitOf(moved), slot.commonDir);
}

const retirePool = (context: Context, repository: GitRepository, id: string): Promise<unknown> =>
  withPool(context, { ...repository, id }, ({ pool }) => pool.drain(0));

/** Slots with a pin in the repository and no record: their files may be under a former id. */
export async function repairFormerPools(
  context: Context,
  repository: GitRepository,
  ids: readonly string[],
): Promise<string[]> {
  const pools = dirname(
    poolDirectory(await resolveRoot(workspaceRootOf(context, { root: null })), repository.id),
  );
  const folders = existsSync(pools) ? readdirSync(pools) : [];
  const lines: string[] = [];
  for (const id of ids) {
    const folder = folders.find(name => existsSync(join(pools, name, id)));
    if (folder !== undefined) await retirePool(context, repository, folder);
    else await removeStrayPin(context, repository, id);
    lines.push(`removed the pool slot ${id}: its record was lost; work in it was kept as a snapshot`);
  }
  return lines;
}

async function removeStrayPin(
  { git }: Pick<Context, 'git'>,
  { commonDir }: GitRepository,
  id: string,
): Promise<void> {
  const place = { gitDir: commonDir };
  const from = await readRef(git, place, pinOf(id));
  if (from) await updateRefs(git, place, [{ ref: pinOf(id), from, to: null }]);
}
