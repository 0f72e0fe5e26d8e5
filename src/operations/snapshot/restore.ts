import { access } from 'node:fs/promises';
import { carrelError } from '../../domain/error/error.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { Workspace } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { createWorkspace } from '../creation/create-workspace.js';
import { putBack } from '../creation/restore-in-place.js';
import { awaitSnapshots } from '../remains/schedule-remains.js';
import { withIsolation } from '../settings/resolve-isolation.js';
import { findRepository } from '../workspace/find-workspace.js';
import { findDeleted } from './find-deleted-workspace.js';
import { isBranchTaken, isolationOf, planRestore, readRestore } from './plan-restore.js';
import { listSet, restoreSet } from './restore-set.js';
import { listSnapshots } from './snapshot.js';

export interface RestoreInput {
  readonly repository: string;
  /** A snapshot's id, or the name of a workspace: then its newest snapshot. */
  readonly snapshot: string;
  readonly as?: string | undefined;
  /** Called with the result of the lookup before anything is done; may throw. */
  readonly check?: ((found: Snapshot) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Restores a snapshot as a workspace, byte for byte. The snapshot stays. A workspace whose directory was deleted gets its files back in
 * place, with its current branch and commits.
 */
export async function restoreSnapshot(context: Context, input: RestoreInput): Promise<Workspace> {
  await awaitSnapshots(
    context,
    remains => remains.workspaceName === input.snapshot || remains.id.startsWith(input.snapshot),
    input.signal,
  );
  const deleted = input.as === undefined ? await findDeleted(context, input) : [];
  if (deleted.length > 0 && (deleted.every(({ from }) => from) || !input.check)) {
    for (const { from } of deleted) if (from) await input.check?.(from);
    const restored = [];
    for (const { record, from } of deleted) restored.push(await putBack(context, record, from));
    return restored[0] as Workspace;
  }
  const snapshot = await findWhereItIs(context, await findSnapshot(context, input), input.repository);
  await input.check?.(snapshot);
  const set = await listSet(context, snapshot, input);
  // Git inside a sandbox finds its objects by the alias of the part, so that it stays one.
  if (set.length > 1 || (snapshot.group && snapshot.sandbox)) return restoreSet(context, set, input);
  const request = await readRestore(context, snapshot, input.as);
  const plan = await planRestore(context, request, await isBranchTaken(context, request));
  const { settings, backendName } = request;
  return withIsolation(context, isolationOf(request), settings, backendName, resolved =>
    createWorkspace(context, { ...plan(resolved), signal: input.signal }),
  );
}

/** A moved or renamed repository still has its snapshots. */
async function findWhereItIs(context: Context, snapshot: Snapshot, directory: string): Promise<Snapshot> {
  const isThere = await access(snapshot.objectStore).then(
    () => true,
    () => false,
  );
  const here = isThere ? undefined : await findRepository(context, directory);
  if (!here?.commonDir) return snapshot;
  const { commonDir, root, id } = here;
  const moved = { ...snapshot, objectStore: commonDir, repository: root, repositoryId: id };
  const isHere = (await context.backends.of(snapshot.backend).snapshots?.verify(moved)) === snapshot.commit;
  return isHere ? moved : snapshot;
}

/** By id, by name in this repository, by prefix of an id. Outside a repository a name must be unique. */
async function findSnapshot(context: Context, input: RestoreInput): Promise<Snapshot> {
  const byId = await context.store.snapshots.find(input.snapshot);
  if (byId?.commit) return byId;
  const here = await listSnapshots(context, { repository: input.repository, signal: input.signal });
  const named = here.filter(snapshot => snapshot.workspaceName === input.snapshot);
  requireOnePlace(input.snapshot, named);
  const prefixed = here.filter(
    snapshot => input.snapshot.startsWith('snap_') && snapshot.id.startsWith(input.snapshot),
  );
  const found = preferSet(named) ?? (prefixed.length === 1 ? prefixed[0] : undefined);
  if (found) return found;
  throw carrelError('SNAPSHOT_NOT_FOUND', {
    name: input.snapshot,
    known: here.map(snapshot => `${snapshot.id} (${snapshot.workspaceName})`),
  });
}

/** The newest; but one of a single part that an interrupted command left is only meant by its id. */
const preferSet = (snapshots: readonly Snapshot[]): Snapshot | undefined =>
  snapshots.find(({ group, reason }) => !group || group.set || reason !== 'rollback') ?? snapshots[0];

function requireOnePlace(name: string, snapshots: readonly Snapshot[]): void {
  const places = new Set(snapshots.map(snapshot => snapshot.repository));
  if (places.size < 2) return;
  const matches = snapshots.map(snapshot => `${snapshot.id} of ${snapshot.repository}`);
  throw carrelError('WORKSPACE_AMBIGUOUS', { name, matches });
}
