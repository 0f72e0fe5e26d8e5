import { access } from 'node:fs/promises';
import { carrelError } from '../domain/error.js';
import { requireName } from '../domain/name.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { BackendName, Workspace } from '../domain/workspace.js';
import { readRef } from '../git/refs.js';
import type { Repository } from '../workspace/backend.js';
import type { Context } from './context.js';
import { createWorkspace } from './create-workspace.js';
import { findRepository, requireFreeName } from './find.js';
import { awaitSnapshots } from './leave-remains.js';
import { locateRepository } from './locate-repository.js';
import { requireRoomFor } from './require-room.js';
import { type ResolvedIsolation, resolveIsolation } from './resolve-isolation.js';
import { applyTemplate, type Settings } from './settings.js';
import { listSnapshots } from './snapshot.js';

export interface RestoreInput {
  readonly repository: string;
  /** A snapshot's id, or the name of a workspace: then its newest snapshot. */
  readonly snapshot: string;
  readonly as?: string | undefined;
  /** Given what was found, before anything is done with it; what it throws is the answer. */
  readonly check?: ((found: Snapshot) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Brings a snapshot back as a workspace, to the byte. The snapshot stays. */
export async function restoreSnapshot(context: Context, input: RestoreInput): Promise<Workspace> {
  await awaitSnapshots(
    context,
    remains => remains.workspaceName === input.snapshot || remains.id.startsWith(input.snapshot),
    input.signal,
  );
  const snapshot = await findWhereItIs(context, await findSnapshot(context, input), input.repository);
  await input.check?.(snapshot);
  // What was taken of the user's own directory comes back as a workspace beside it; and where everything is written
  // anew, there is nothing to share.
  const isWorktree = snapshot.backend === 'direct' || snapshot.backend === 'overlay';
  const backendName = isWorktree ? 'git' : snapshot.backend;
  const backend = context.backends[backendName];
  if ((await backend.snapshots?.verify(snapshot)) !== snapshot.commit) {
    throw carrelError('SNAPSHOT_BROKEN', { id: snapshot.id, problem: `${snapshot.ref} is not what it was` });
  }
  // Worktrees may be of a jj repository, and git alone does not always find that.
  const located =
    backendName === 'git'
      ? locateRepository(context, snapshot.repository)
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
    backendName === 'directory'
      ? { branch: null, kept: [] }
      : await chooseBranch(context, repository, branchFor(snapshot, name, settings.branchPrefix));
  await backend.resolve(repository, { base: snapshot.base.commit ?? undefined, branch: branch ?? undefined });
  await requireRoomFor(context, repository, settings);
  const resolved = await resolveRestored(context, settings, snapshot, backendName);
  return createWorkspace(context, {
    kind: 'restore',
    name,
    repository,
    backendName,
    ...resolved,
    warnings: [...resolved.warnings, ...kept],
    branch,
    base: snapshot.base,
    settings,
    path: null,
    from: snapshot,
    signal: input.signal,
  });
}

/** What was made in a sandbox goes back into one where that can be had; what was made strictly, nowhere else. */
async function resolveRestored(
  context: Context,
  settings: Settings,
  snapshot: Snapshot,
  backend: BackendName,
): Promise<ResolvedIsolation> {
  const { isolation = 'worktree', isStrict: strict } = snapshot;
  const resolved = await resolveIsolation(context, { isolation, strict }, settings, backend);
  if (resolved.isolation.effective === 'full') return resolved;
  return { ...resolved, warnings: [...resolved.warnings, ...describeLeft(snapshot)] };
}

/** What only the sandbox saw is brought back for a sandbox only: host git never reads a git directory of an agent's. */
function describeLeft({ id, sandbox, backend }: Snapshot): string[] {
  if (!sandbox) return [];
  const hasPrivateGit = sandbox.git === 'private' && backend !== 'directory';
  const left = hasPrivateGit ? 'git directory (with other branches and stashes) and home' : 'home';
  return [
    `the private ${left} of the sandbox stayed in ${id}; where a sandbox can be had: carrel restore ${id} --as NAME`,
  ];
}

/** A repository that was moved or renamed has its snapshots with it. */
async function findWhereItIs(context: Context, snapshot: Snapshot, directory: string): Promise<Snapshot> {
  const isThere = await access(snapshot.objectStore).then(
    () => true,
    () => false,
  );
  const here = isThere ? undefined : await findRepository(context, directory);
  if (!here?.commonDir) return snapshot;
  const { commonDir, root, id } = here;
  const moved = { ...snapshot, objectStore: commonDir, repository: root, repositoryId: id };
  const isHere = (await context.backends[snapshot.backend].snapshots?.verify(moved)) === snapshot.commit;
  return isHere ? moved : snapshot;
}

/** Its own branch again, or under another name one that follows from that. */
function branchFor(snapshot: Snapshot, name: string, prefix: string): string {
  return name === snapshot.workspaceName && snapshot.branch !== null ? snapshot.branch : `${prefix}${name}`;
}

/** A branch that stayed when the workspace went, as that of a task does, holds work and is left alone. */
async function chooseBranch(
  { git }: Context,
  { commonDir }: Repository,
  branch: string,
): Promise<{ readonly branch: string; readonly kept: readonly string[] }> {
  const isTaken = commonDir !== null && (await readRef(git, { gitDir: commonDir }, `refs/heads/${branch}`));
  if (!isTaken) return { branch, kept: [] };
  const other = `${branch}-restored`;
  return {
    branch: other,
    kept: [`the branch ${branch} is there and stays; what was restored is on ${other}`],
  };
}

/** By id, by name in this repository, by prefix of an id. Outside of any repository a name has to be of one alone. */
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
