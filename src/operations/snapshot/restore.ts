import { access } from 'node:fs/promises';
import { carrelError } from '../../domain/error/error.js';
import { requireName } from '../../domain/name.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import { isCustomBackend } from '../../domain/workspace/backend-name.js';
import type { Workspace } from '../../domain/workspace/workspace.js';
import { readRef } from '../../git/refs/refs.js';
import type { Repository } from '../../workspace/backend.js';
import { isWhole } from '../capture/find-last-snapshot.js';
import type { Context } from '../context.js';
import { createWorkspace } from '../creation/create-workspace.js';
import { putBack } from '../creation/restore-in-place.js';
import { awaitSnapshots } from '../remains/schedule-remains.js';
import { locateRepository } from '../repository/locate-repository.js';
import { locateForBackend } from '../repository/open-backend.js';
import { type IsolationRequest, withIsolation } from '../settings/resolve-isolation.js';
import { applyTemplate, type Settings } from '../settings/workspace-settings.js';
import { requireRoomFor } from '../space/require-capacity.js';
import { findRepository, requireFreeName } from '../workspace/find-workspace.js';
import { findDeleted } from './find-deleted-workspace.js';
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
  const deleted = input.as === undefined ? await findDeleted(context, input) : undefined;
  if (deleted && (deleted.from || !input.check)) {
    if (deleted.from) await input.check?.(deleted.from);
    return putBack(context, deleted.record, deleted.from);
  }
  const snapshot = await findWhereItIs(context, await findSnapshot(context, input), input.repository);
  await input.check?.(snapshot);
  // A snapshot of the user's own directory is restored as a separate workspace; and where all files are rewritten, there is nothing to
  // share.
  const isWorktree = snapshot.backend === 'direct' || snapshot.backend === 'overlay';
  const backendName = isWorktree ? 'git' : snapshot.backend;
  const backend = context.backends.of(backendName);
  if (!(await isWhole(context, snapshot))) {
    throw carrelError('SNAPSHOT_BROKEN', { id: snapshot.id, problem: `${snapshot.ref} has changed` });
  }
  // Worktrees may belong to a jj repository, and git alone does not always find that.
  const located =
    backendName === 'git'
      ? locateRepository(context, snapshot.repository)
      : isCustomBackend(backendName)
        ? locateForBackend(context, backendName, await locateRepository(context, snapshot.repository))
        : backend.locate(snapshot.repository);
  const repository: Repository = { ...(await located), linkedWorktree: null };
  const name = requireName(input.as ?? snapshot.workspaceName);
  await requireFreeName(context, repository, name);
  const settings = {
    ...(await applyTemplate(context, repository, undefined)),
    ...(snapshot.sandbox && { sandbox: snapshot.sandbox }),
    setup: [],
    install: 'off',
  } as const;
  const { branch, kept } =
    backendName === 'directory' || (isCustomBackend(backendName) && snapshot.branch === null)
      ? { branch: null, kept: [] }
      : await chooseBranch(context, repository, branchFor(snapshot, name, settings.branchPrefix));
  await backend.resolve(repository, { base: snapshot.base.commit ?? undefined, branch: branch ?? undefined });
  await requireRoomFor(context, repository, settings);
  const request = requestOf(snapshot, settings);
  return withIsolation(context, request, settings, backendName, ({ sandbox, isolation, runtime, warnings }) =>
    createWorkspace(context, {
      kind: 'restore',
      name,
      repository,
      backendName,
      isolation,
      runtime,
      warnings: [...warnings, ...(isolation.effective === 'full' ? [] : describeLeft(snapshot)), ...kept],
      branch,
      base: snapshot.base,
      settings: { ...settings, sandbox },
      path: null,
      from: snapshot,
      signal: input.signal,
    }),
  );
}

/**
 * Work made in a sandbox is restored into one; work made strictly, nowhere else. Who chose the mode is no longer known, so it counts as a
 * choice: without a sandbox, the user's own file has to allow less.
 */
function requestOf(
  { isolation = 'worktree', isStrict: strict }: Snapshot,
  settings: Settings,
): IsolationRequest {
  const askedBy = isolation === 'full' ? 'user' : settings.isolation.askedBy;
  return { isolation, askedBy, strict };
}

/** Private files of a sandbox are restored only into a sandbox: host git never reads an agent's git directory. */
function describeLeft({ id, sandbox, backend }: Snapshot): string[] {
  if (!sandbox) return [];
  const hasPrivateGit = sandbox.git === 'private' && backend !== 'directory';
  const left = hasPrivateGit ? 'git directory (with other branches and stashes) and home' : 'home';
  return [
    `the private ${left} of the sandbox stayed in ${id}; where a sandbox is available, restore it with: carrel restore ${id} --as NAME`,
  ];
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

/** Its own branch again, or one derived from the new name. */
function branchFor(snapshot: Snapshot, name: string, prefix: string): string {
  return name === snapshot.workspaceName && snapshot.branch !== null ? snapshot.branch : `${prefix}${name}`;
}

/** A branch that was kept after the removal, as for tasks, holds work and is left alone. */
async function chooseBranch(
  { git }: Pick<Context, 'git'>,
  { commonDir }: Repository,
  branch: string,
): Promise<{ readonly branch: string; readonly kept: readonly string[] }> {
  const isTaken = commonDir !== null && (await readRef(git, { gitDir: commonDir }, `refs/heads/${branch}`));
  if (!isTaken) return { branch, kept: [] };
  const other = `${branch}-restored`;
  return {
    branch: other,
    kept: [`the branch ${branch} already exists and was kept; the restored work is on ${other}`],
  };
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
  const found = named[0] ?? (prefixed.length === 1 ? prefixed[0] : undefined);
  if (found) return found;
  throw carrelError('SNAPSHOT_NOT_FOUND', {
    name: input.snapshot,
    known: here.map(snapshot => `${snapshot.id} (${snapshot.workspaceName})`),
  });
}

function requireOnePlace(name: string, snapshots: readonly Snapshot[]): void {
  const places = new Set(snapshots.map(snapshot => snapshot.repository));
  if (places.size < 2) return;
  const matches = snapshots.map(snapshot => `${snapshot.id} of ${snapshot.repository}`);
  throw carrelError('WORKSPACE_AMBIGUOUS', { name, matches });
}
