import { carrelError } from '../../domain/error/error.js';
import { requireName } from '../../domain/name.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import { isCustomBackend } from '../../domain/workspace/backend-name.js';
import type { BackendName } from '../../domain/workspace/workspace.js';
import { readRef } from '../../git/refs/refs.js';
import type { Repository } from '../../workspace/backend.js';
import { isWhole } from '../capture/find-last-snapshot.js';
import type { Context } from '../context.js';
import type { CreationPlan } from '../creation/create-workspace.js';
import { locateRepository } from '../repository/locate-repository.js';
import { locateForBackend } from '../repository/open-backend.js';
import type { IsolationRequest, ResolvedIsolation } from '../settings/resolve-isolation.js';
import { applyTemplate, type Settings } from '../settings/workspace-settings.js';
import { requireRoomFor } from '../space/require-capacity.js';
import { requireFreeName } from '../workspace/find-workspace.js';

/** A snapshot that is complete, and the workspace to make of it, whose name is free. */
export interface RestoreRequest {
  readonly snapshot: Snapshot;
  readonly name: string;
  readonly repository: Repository;
  readonly backendName: BackendName;
  readonly settings: Settings;
  /** The branch that it should have. */
  readonly branch: string | null;
}

/** SNAPSHOT_BROKEN, WORKSPACE_EXISTS */
export async function readRestore(
  context: Context,
  snapshot: Snapshot,
  as: string | undefined,
): Promise<RestoreRequest> {
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
  const name = requireName(as ?? snapshot.workspaceName);
  await requireFreeName(context, repository, name);
  const settings = {
    ...(await applyTemplate(context, repository, undefined)),
    ...(snapshot.sandbox && { sandbox: snapshot.sandbox }),
    setup: [],
    install: 'off',
  } as const;
  const hasBranch =
    backendName !== 'directory' && !(isCustomBackend(backendName) && snapshot.branch === null);
  const branch = hasBranch ? branchFor(snapshot, name, settings.branchPrefix) : null;
  return { snapshot, name, repository, backendName, settings, branch };
}

/** Whether its branch exists: one that was kept after the removal, as for tasks, holds work and is left alone. */
export async function isBranchTaken(
  { git }: Pick<Context, 'git'>,
  { repository: { commonDir }, branch }: RestoreRequest,
): Promise<boolean> {
  if (commonDir === null || branch === null) return false;
  return (await readRef(git, { gitDir: commonDir }, `refs/heads/${branch}`)) !== undefined;
}

/** The isolation mode of a restored workspace. */
export const isolationOf = ({ snapshot, settings }: RestoreRequest): IsolationRequest =>
  requestOf(snapshot, settings);

/** Everything about the restored workspace, checked. */
export async function planRestore(
  context: Context,
  { snapshot, name, repository, backendName, settings, branch: own }: RestoreRequest,
  isTaken: boolean,
): Promise<(resolved: ResolvedIsolation) => CreationPlan> {
  const branch = own !== null && isTaken ? `${own}-restored` : own;
  const kept = branch === own ? [] : [describeKept(own as string, branch as string)];
  await context.backends
    .of(backendName)
    .resolve(repository, { base: snapshot.base.commit ?? undefined, branch: branch ?? undefined });
  await requireRoomFor(context, repository, settings);
  return ({ sandbox, isolation, runtime, warnings }) => ({
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
  });
}

const describeKept = (branch: string, other: string): string =>
  `the branch ${branch} already exists and was kept; the restored work is on ${other}`;

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

/** Its own branch again, or one derived from the new name. */
function branchFor(snapshot: Snapshot, name: string, prefix: string): string {
  return name === snapshot.workspaceName && snapshot.branch !== null ? snapshot.branch : `${prefix}${name}`;
}
