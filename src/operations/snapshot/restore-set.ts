import { existsSync } from 'node:fs';
import { createId } from '../../domain/id.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { Workspace } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { createWorkspace } from '../creation/create-workspace.js';
import { createGroup, type PlannedPart } from '../group/create-group.js';
import { awaitSnapshots } from '../remains/schedule-remains.js';
import { type ResolvedIsolation, resolveIsolation, withIsolation } from '../settings/resolve-isolation.js';
import { isBranchTaken, isolationOf, planRestore, type RestoreRequest, readRestore } from './plan-restore.js';
import type { RestoreInput } from './restore.js';

/**
 * The snapshots that were taken together with one of a workspace with several repositories, that of the first part first. Those of a
 * repository that is gone are left out, so that the others can still be restored.
 */
export async function listSet(
  context: Context,
  snapshot: Snapshot,
  { check, signal }: Pick<RestoreInput, 'check' | 'signal'>,
): Promise<Snapshot[]> {
  const set = snapshot.group?.set;
  if (!set) return [snapshot];
  await awaitSnapshots(context, remains => remains.workspaceName === snapshot.workspaceName, signal);
  const all = await context.store.snapshots.list({ workspaceName: snapshot.workspaceName });
  // Newest first, and they were taken in the order of the parts.
  const ofSet = all.toReversed().filter(({ group, commit }) => group?.set?.id === set.id && commit !== null);
  const found = ofSet.filter(({ id, objectStore }) => id === snapshot.id || existsSync(objectStore));
  if (found.length < set.size)
    context.narrate(
      `warning: only ${found.length} of the ${set.size} repositories of ${snapshot.workspaceName} can be restored`,
    );
  for (const each of found) if (each.id !== snapshot.id) await check?.(each);
  const isFirst = ({ workspaceId, group }: Snapshot) => workspaceId === group?.id;
  return [...found.filter(isFirst), ...found.filter(each => !isFirst(each))];
}

/** Restores all of them as one workspace, or none. */
export async function restoreSet(
  context: Context,
  set: readonly Snapshot[],
  { as, signal }: Pick<RestoreInput, 'as' | 'signal'>,
): Promise<Workspace> {
  const requests: RestoreRequest[] = [];
  for (const snapshot of set) requests.push(await readRestore(context, snapshot, as));
  const taken = await Promise.all(requests.map(request => isBranchTaken(context, request)));
  // One branch name in all of them.
  const isTaken = taken.includes(true);
  const [first] = requests as [RestoreRequest];
  // In a sandbox, the first one decides about it, and it holds all of them.
  return withIsolation(context, isolationOf(first), first.settings, first.backendName, async resolved => {
    const isShared = resolved.isolation.effective === 'full';
    const planned: PlannedPart[] = [];
    for (const request of requests) {
      const plan = await planRestore(context, request, isTaken);
      const own = request === first || isShared ? resolved : await resolveFor(context, request);
      planned.push({ alias: request.snapshot.group?.alias ?? request.name, plan: { ...plan(own), signal } });
    }
    return createGroup(context, createId('ws', context.ids), planned, plan => createWorkspace(context, plan));
  });
}

const resolveFor = (context: Context, request: RestoreRequest): Promise<ResolvedIsolation> =>
  resolveIsolation(context, isolationOf(request), request.settings, request.backendName);
