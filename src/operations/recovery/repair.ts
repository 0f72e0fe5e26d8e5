import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CarrelError } from '../../domain/error/error.js';
import { readCarrelNames } from '../../git/repository/carrel-names.js';
import { resolveRoot } from '../../workspace/location/choose-folder.js';
import { listRecordFiles } from '../../workspace/location/record-file.js';
import { removeSnapshot } from '../capture/remove-snapshot.js';
import type { Context } from '../context.js';
import { repairFormerPools } from '../pool/moved-repository-pools.js';
import { withPool } from '../pool/open-pool.js';
import { findUnrecorded, type GitRepository } from '../repository/find-unrecorded.js';
import { vaultOf } from '../repository/kept-record.js';
import { locateRepository } from '../repository/locate-repository.js';
import { workspaceRootOf } from '../space/workspace-root.js';
import { rebuildCopy, rebuildWorkspace } from './rebuild-record.js';
import { rebuildCopySnapshot, rebuildSnapshot } from './rebuild-snapshot.js';
import { hasGit, reconcile } from './reconcile.js';

/**
 * Rebuilds records from what exists: the refs below refs/carrel/, the registrations of worktrees, their record files, and the
 * directories. Covers the repository around `directory`, and every repository with a workspace in Carrel's own folder. First keeps a
 * copy of the database. Returns one line for everything that was done or failed.
 */
export async function repairRecords(
  context: Context,
  input: { readonly repository: string },
): Promise<string[]> {
  const lines: string[] = [];
  const keepCopy = once(async () => {
    lines.push(`kept a copy of the records: ${await context.store.copy('before-repair')}`);
  });
  for (const repository of await listRepositories(context, input.repository))
    lines.push(...(await repairRepository(context, repository, keepCopy)));
  lines.push(...(await repairVault(context, keepCopy)));
  if (lines.length > 0) lines.push(TRUST_LINE);
  lines.push(...(await listLostTasks(context)));
  return lines;
}

/** Anyone who can write the repository could forge them there. */
const TRUST_LINE = 'approvals of setup commands are never rebuilt; approve them again with: carrel trust';

/** A task can't be rebuilt from its files: the log and the outputs stay, and a new task does the rest. */
async function listLostTasks({ store, places }: Pick<Context, 'store' | 'places'>): Promise<string[]> {
  const folder = join(places.stateDir, 'tasks');
  const ids = (await readdir(folder).catch(() => [])).filter(name => name.startsWith('task_')).sort();
  const lost: string[] = [];
  for (const id of ids) if (!(await store.tasks.find(id))) lost.push(id);
  return lost.map(
    id =>
      `the record of the task ${id} is lost and cannot be rebuilt; its log and outputs stay in ${join(folder, id)}`,
  );
}

type KeepCopy = () => Promise<void>;

function once(action: () => Promise<void>): KeepCopy {
  let done: Promise<void> | undefined;
  return () => (done ??= action());
}

async function listRepositories(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  directory: string,
): Promise<GitRepository[]> {
  const found = new Map<string, GitRepository>();
  for (const place of [directory, ...(await listDirectories(context))]) {
    // Directories that git does not know belong to no repository.
    const repository = await locateRepository(context, place).catch(() => undefined);
    if (repository && hasGit(repository)) found.set(repository.id, { ...repository, linkedWorktree: null });
  }
  return [...found.values()];
}

/** `<root>/<project>/<name>`, where that is a worktree. */
async function listDirectories(context: Pick<Context, 'places'>): Promise<string[]> {
  const root = await resolveRoot(workspaceRootOf(context, { root: null }));
  const children = async (directory: string) =>
    (await readdir(directory, { withFileTypes: true }).catch(() => []))
      .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(entry => join(directory, entry.name));
  const folders = await Promise.all((await children(root)).map(children));
  return folders.flat().filter(directory => existsSync(join(directory, '.git')));
}

async function repairRepository(
  context: Context,
  repository: GitRepository,
  keepCopy: KeepCopy,
): Promise<string[]> {
  if (existsSync(join(repository.commonDir, 'reftable'))) return [describeTables(repository)];
  const names = await readCarrelNames(repository.commonDir);
  const removed = await removeDamagedRows(context, names, keepCopy);
  await reconcile(context, repository);
  const { workspaces, snapshots } = await findUnrecorded(context, repository);
  const lines = [...removed, ...(await dropOldCheckpoints(context, repository.commonDir, names, keepCopy))];
  if (workspaces.length + snapshots.length > 0) await keepCopy();
  for (const id of workspaces) lines.push(await attempt(id, rebuildWorkspace(context, repository, id)));
  for (const id of snapshots) lines.push(await attempt(id, rebuildSnapshot(context, repository, id)));
  lines.push(...(await repairPool(context, repository)));
  const { slots } = await findUnrecorded(context, repository);
  lines.push(...(await repairFormerPools(context, repository, slots)));
  return lines;
}

/** The refs are not in separate files there (see git/repository/carrel-names.ts). */
const describeTables = ({ root }: GitRepository): string =>
  `nothing was rebuilt for ${root}: it uses the reftable ref format, which Carrel does not support; convert it with: git refs migrate --ref-format=files`;

/** Opening a pool quarantines slots without a record: gc captures their work and removes them. */
async function repairPool(context: Context, repository: GitRepository): Promise<string[]> {
  const list = async () => (await context.store.slots.list(repository.id)).slots.map(({ id }) => id);
  const before = new Set(await list());
  await withPool(context, repository, async () => undefined);
  const found = (await list()).filter(id => !before.has(id));
  return found.map(id => `quarantined the pool slot ${id}: its record was lost; see: carrel pool status`);
}

async function repairVault(context: Context, keepCopy: KeepCopy): Promise<string[]> {
  const vault = vaultOf(context.places);
  if (!existsSync(vault)) return [];
  const { snapshots } = await readCarrelNames(vault);
  const kept = await listRecordFiles(vault);
  const names = { registered: new Set(kept), pinned: new Set<string>(), snapshots, slots: new Set<string>() };
  const lines = await removeDamagedRows(context, names, keepCopy);
  lines.push(...(await dropOldCheckpoints(context, vault, names, keepCopy)));
  const { store } = context;
  for (const id of kept) {
    if (await store.workspaces.find(id)) continue;
    await keepCopy();
    lines.push(await attempt(id, rebuildCopy(context, vault, id)));
  }
  for (const id of snapshots) {
    if (await store.snapshots.find(id)) continue;
    await keepCopy();
    lines.push(await attempt(id, rebuildCopySnapshot(context, vault, id)));
  }
  return lines;
}

/** Rows that can't be read, of workspaces and snapshots that can be rebuilt. */
async function removeDamagedRows(
  { store }: Pick<Context, 'store'>,
  names: Awaited<ReturnType<typeof readCarrelNames>>,
  keepCopy: KeepCopy,
): Promise<string[]> {
  const lines: string[] = [];
  for (const row of await store.damaged.list()) {
    const isThere =
      (row.table === 'workspaces' && names.registered.has(row.id)) ||
      (row.table === 'snapshots' && names.snapshots.has(row.id));
    if (!isThere) continue;
    await keepCopy();
    await store.damaged.remove(row);
    lines.push(`dropped an unreadable record: ${row.problem}`);
  }
  return lines;
}

/**
 * Of an older database: checkpoints that newer ones, or the removal of their workspace, have replaced since. Records of other snapshots
 * stay without a ref: those were lost, and `doctor --deep` reports them.
 */
async function dropOldCheckpoints(
  context: Context,
  objectStore: string,
  names: Pick<Awaited<ReturnType<typeof readCarrelNames>>, 'snapshots'>,
  keepCopy: KeepCopy,
): Promise<string[]> {
  const lines: string[] = [];
  for (const snapshot of await context.store.snapshots.list({})) {
    const { id, reason, commit, workspaceName } = snapshot;
    const isOld = snapshot.objectStore === objectStore && commit !== null && !names.snapshots.has(id);
    if (reason !== 'checkpoint' || !isOld) continue;
    await keepCopy();
    await removeSnapshot(context, snapshot);
    lines.push(`dropped the record of the checkpoint ${id} of ${workspaceName}: its ref is gone`);
  }
  return lines;
}

/** What can't be rebuilt stops nothing else. */
async function attempt(id: string, rebuilding: Promise<string>): Promise<string> {
  return rebuilding.catch(error => {
    if (!(error instanceof CarrelError)) throw error;
    return `${id} could not be rebuilt: ${error.message}`;
  });
}
