import { stat } from 'node:fs/promises';
import { isCarrelError } from '../../domain/error/error.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readCarrelNames } from '../../git/repository/carrel-names.js';
import type { Store } from '../../store/store.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import {
  findUnrecorded,
  type GitRepository,
  isKnownTo,
  type Unrecorded,
} from '../repository/find-unrecorded.js';
import { keepRecord } from '../repository/kept-record.js';

/**
 * Compares the records with their repository before either is used. Records follow a repository that was moved or renamed; those of
 * another repository that was at the same path before no longer belong to this one; and unrecorded workspaces and snapshots in the
 * repository are reported, with the command that rebuilds them.
 */
export async function reconcile(context: Context, repository: Repository): Promise<void> {
  if (!hasGit(repository) || context.store.isReadOnly) return;
  const found = await findUnrecorded(context, repository);
  await followMove(context, repository, found.moved);
  await detachFormer(context, repository);
  report(context, repository, found);
}

export const hasGit = (repository: Repository): repository is GitRepository => repository.commonDir !== null;

async function followMove(
  context: Context,
  repository: GitRepository,
  { workspaces, snapshots, slots }: Unrecorded['moved'],
): Promise<void> {
  const { id: repositoryId, root } = repository;
  const followed: WorkspaceRecord[] = [];
  for (const record of workspaces.filter(({ status }) => status === 'ready')) {
    const own = await moveWorkspace(context, repository, record);
    if (own) followed.push(own);
  }
  const here = { objectStore: repository.commonDir, repository: root, repositoryId };
  for (const snapshot of snapshots)
    await context.store.snapshots.update(snapshot.id, { ...here, backend: followModule(snapshot, root) }, []);
  await moveTasks(context, repository, new Set(followed.map(({ id }) => id)));
  if (slots.length > 0) await retireSlots(context, repository, slots);
  const from = [...workspaces, ...snapshots].find(({ repository }) => repository !== root)?.repository;
  if (from !== undefined)
    context.narrate(
      `the repository was moved from ${from}; its ${count(followed.length, snapshots.length)} are recorded here now`,
    );
}

/** Loaded on demand: few repositories are moved. */
async function retireSlots(
  context: Context,
  repository: GitRepository,
  slots: readonly SlotRecord[],
): Promise<void> {
  const { retireFormerPools } = await import('../pool/moved-repository-pools.js');
  await retireFormerPools(context, repository, slots);
}

async function moveWorkspace(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'narrate'>,
  { id: repositoryId, root, commonDir }: GitRepository,
  record: WorkspaceRecord,
): Promise<WorkspaceRecord | undefined> {
  try {
    const backend = followModule(record, root);
    const patch = { repository: root, repositoryId, commonDir, backend };
    const moved = await context.store.workspaces.update(record.id, 'ready', patch, []);
    if (!moved) return undefined;
    const former = { repository: record.repository, commonDir: String(record.commonDir) };
    await context.backends.of(moved.backend).relink?.(moved, former);
    await keepRecord(context, moved);
    return moved;
  } catch (error) {
    if (!isCarrelError(error, 'WORKSPACE_EXISTS')) throw error;
    context.narrate(`warning: ${record.name} stays recorded at ${record.repository}: ${error.message}`);
    return undefined;
  }
}

/** A backend that is a module of the repository has moved with it. */
const followModule = ({ backend, repository }: Pick<Snapshot, 'backend' | 'repository'>, root: string) =>
  backend.startsWith(`${repository}/`) ? `${root}${backend.slice(repository.length)}` : backend;

async function moveTasks(
  { store }: Pick<Context, 'store'>,
  { id: repositoryId, root: repository }: GitRepository,
  workspaceIds: ReadonlySet<string>,
): Promise<void> {
  if (workspaceIds.size === 0) return;
  for (const { id, status, workspaceId } of await store.tasks.list())
    if (workspaceId !== null && workspaceIds.has(workspaceId))
      await store.tasks.update(id, { statuses: [status] }, { repositoryId, repository }, []);
}

/**
 * A repository that was created after the records, and has nothing that they mention, is another one at the same path, usually a new
 * clone. The records keep their ids, and match their own repository again when it is found (see above).
 */
async function detachFormer({ store }: Pick<Context, 'store'>, repository: GitRepository): Promise<void> {
  const { id, commonDir } = repository;
  const bornAt = (await stat(commonDir)).birthtimeMs;
  const isOlder = ({ createdAt }: { createdAt: string }) => Date.parse(createdAt) < bornAt;
  const workspaces = (await store.workspaces.list({ repositoryId: id })).filter(
    record => record.status === 'ready' && record.commonDir === commonDir && isOlder(record),
  );
  const snapshots = (await store.snapshots.list({ repositoryId: id })).filter(
    snapshot => snapshot.commit !== null && snapshot.objectStore === commonDir && isOlder(snapshot),
  );
  if (workspaces.length + snapshots.length === 0) return;
  const names = await readCarrelNames(commonDir);
  for (const record of workspaces.filter(record => !isKnownTo(names, record.id)))
    await store.workspaces.update(record.id, 'ready', { repositoryId: formerId(record.id) }, []);
  for (const snapshot of snapshots.filter(candidate => !names.snapshots.has(candidate.id)))
    await store.snapshots.update(snapshot.id, { repositoryId: formerId(snapshot.workspaceId) }, []);
}

const FORMER = 'former-';

const formerId = (workspaceId: string): string => `${FORMER}${workspaceId}`;

/** Whether the record is of a repository that is no longer at its path. */
export const isOfFormer = ({ repositoryId }: Pick<Snapshot, 'repositoryId'>): boolean =>
  repositoryId.startsWith(FORMER);

/** Once for each repository and store: some processes list again and again. */
const reported = new WeakMap<Store, Set<string>>();

function report(
  context: Pick<Context, 'store' | 'narrate'>,
  { id, root }: GitRepository,
  { workspaces, snapshots }: Unrecorded,
): void {
  if (workspaces.length + snapshots.length === 0) return;
  const seen = reported.get(context.store) ?? new Set();
  if (seen.has(id)) return;
  reported.set(context.store, seen.add(id));
  context.narrate(
    `warning: ${root} has ${count(workspaces.length, snapshots.length)} without a record; rebuild the records with: carrel doctor --repair`,
  );
}

export const count = (workspaces: number, snapshots: number): string =>
  `${workspaces} ${workspaces === 1 ? 'workspace' : 'workspaces'} and ${snapshots} ${snapshots === 1 ? 'snapshot' : 'snapshots'}`;
