import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { type CarrelNames, readCarrelNames } from '../../git/repository/carrel-names.js';
import type { Repository } from '../../workspace/backend.js';
import { listRecordFiles } from '../../workspace/location/record-file.js';
import type { Context } from '../context.js';

/** A repository whose workspaces Carrel makes and keeps: one with git. */
export type GitRepository = Repository & { readonly commonDir: string };

/** Carrel's data in a repository that the records don't have for it. */
export interface Unrecorded {
  /** Ids without a record. */
  readonly workspaces: readonly string[];
  readonly snapshots: readonly string[];
  readonly slots: readonly string[];
  /** Recorded for another path, where they no longer are: the repository was moved here. */
  readonly moved: {
    readonly workspaces: readonly WorkspaceRecord[];
    readonly snapshots: readonly Snapshot[];
    readonly slots: readonly SlotRecord[];
  };
}

/**
 * The refs and registrations of a repository are authoritative; the database is Carrel's copy. Records are written before the thing
 * exists, so the repository is read first: nothing in the making is reported as unrecorded.
 */
export async function findUnrecorded(
  context: Pick<Context, 'store'>,
  repository: GitRepository,
): Promise<Unrecorded> {
  const { commonDir } = repository;
  const names = await readCarrelNames(commonDir);
  const kept = await listRecordFiles(commonDir);
  const present = [
    ...names.registered,
    ...kept.filter(id => names.pinned.has(id) && !names.registered.has(id)),
  ];
  const { store } = context;
  const known = new Map((await store.workspaces.list()).map(record => [record.id, record]));
  const taken = new Map((await store.snapshots.list()).map(snapshot => [snapshot.id, snapshot]));
  const old = createReader();
  const workspaces = await sortOut(
    present,
    known,
    ({ commonDir: place }) => place,
    commonDir,
    async (id, at) => isKnownTo(await old(at), id),
  );
  const snapshots = await sortOut(
    [...names.snapshots],
    taken,
    ({ objectStore }) => objectStore,
    commonDir,
    async (id, at) => (await old(at)).snapshots.has(id),
  );
  const { slots: recorded, damaged } = await store.slots.list();
  const slots = await sortOut(
    [...names.slots].filter(id => !damaged.includes(id)),
    new Map(recorded.map(slot => [slot.id, slot])),
    slot => slot.commonDir,
    commonDir,
    async (id, at) => (await old(at)).slots.has(id),
  );
  const lost = { workspaces: workspaces.lost, snapshots: snapshots.lost };
  const isAnyLost = [workspaces, snapshots, slots].some(({ lost }) => lost.length > 0);
  const still = isAnyLost ? await readCarrelNames(commonDir) : names;
  return {
    // One may just have been removed, with its record.
    workspaces: lost.workspaces.filter(id => isKnownTo(still, id)),
    snapshots: lost.snapshots.filter(id => still.snapshots.has(id)),
    slots: slots.lost.filter(id => still.slots.has(id)),
    moved: {
      workspaces: workspaces.moved,
      snapshots: [...snapshots.moved, ...ofFormerPool(taken, names, repository)],
      slots: slots.moved,
    },
  };
}

/** Snapshots from the repository's pool before it was moved have its former id. */
function ofFormerPool(
  taken: ReadonlyMap<string, Snapshot>,
  names: CarrelNames,
  { id, commonDir }: GitRepository,
): Snapshot[] {
  return [...taken.values()].filter(
    snapshot =>
      snapshot.objectStore === commonDir && snapshot.repositoryId !== id && names.snapshots.has(snapshot.id),
  );
}

export const isKnownTo = ({ registered, pinned }: CarrelNames, id: string): boolean =>
  registered.has(id) || pinned.has(id);

async function sortOut<T>(
  ids: readonly string[],
  records: ReadonlyMap<string, T>,
  placeOf: (record: T) => string | null,
  here: string,
  isStillAt: (id: string, place: string) => Promise<boolean>,
): Promise<{ readonly lost: string[]; readonly moved: T[] }> {
  const lost: string[] = [];
  const moved: T[] = [];
  for (const id of ids) {
    const record = records.get(id);
    const place = record && placeOf(record);
    if (!record) lost.push(id);
    // A copy of the repository has the same names; they stay with the original as long as that has them.
    else if (place && place !== here && !(await isStillAt(id, place))) moved.push(record);
  }
  return { lost, moved };
}

/** Each place is read once. */
function createReader(): (commonDir: string) => Promise<CarrelNames> {
  const read = new Map<string, Promise<CarrelNames>>();
  return commonDir => {
    const names = read.get(commonDir) ?? readCarrelNames(commonDir);
    read.set(commonDir, names);
    return names;
  };
}
