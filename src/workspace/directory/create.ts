import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readParents } from '../../git/objects/read-objects.js';
import { updateRefs } from '../../git/refs/refs.js';
import { captureDirectory, restoreDirectory } from '../../git/snapshot/capture/directory-snapshot.js';
import type { CreateHooks, CreateResult } from '../backend.js';
import { moveAside, removeAside } from '../location/aside.js';
import { releaseRef } from '../snapshot/delete-ref.js';
import type { DirectoryBackendOptions } from './backend.js';
import { copyDirectory } from './copy-directory.js';
import { baseRef } from './directory-base.js';
import { findPresence, registerDirectory, removeUnregistered, unregisterDirectory } from './registration.js';
import { ensureVault } from './vault.js';

export async function createCopy(
  options: DirectoryBackendOptions,
  record: WorkspaceRecord,
  hooks: CreateHooks,
): Promise<CreateResult> {
  await ensureVault(options.git, options.vaultDir);
  await registerDirectory(options.vaultDir, record);
  await hooks.onStep('registered');
  const warnings = hooks.from
    ? await restoreCopy(options, record, hooks.from, hooks.privateHome)
    : await makeFirstFiles(options, record, hooks);
  await hooks.onStep('populated');
  return { warnings };
}

export async function undoCreateCopy(
  options: DirectoryBackendOptions,
  record: WorkspaceRecord,
): Promise<void> {
  const { git, vaultDir } = options;
  await ensureVault(git, vaultDir);
  if ((await findPresence(vaultDir, record)).kind === 'present') await moveAside(record);
  else await removeUnregistered(record.path);
  await releaseRef(git, vaultDir, baseRef(record));
  await unregisterDirectory(vaultDir, record);
  await removeAside(record);
}

async function makeFirstFiles(
  options: DirectoryBackendOptions,
  record: WorkspaceRecord,
  hooks: CreateHooks,
): Promise<string[]> {
  const { startsAt } = hooks;
  if (startsAt === undefined) return makeCopy(options, record, hooks);
  const { git, vaultDir, temporaryRoot } = options;
  const place = { objectStore: vaultDir, directory: record.path };
  await restoreDirectory(git, place, { commit: startsAt, temporaryRoot });
  await updateRefs(git, { gitDir: vaultDir }, [{ ref: baseRef(record), from: null, to: startsAt }]);
  return [];
}

/** The base is captured from the copy, because the source may change in the meantime. */
async function makeCopy(
  { git, vaultDir, temporaryRoot }: DirectoryBackendOptions,
  record: WorkspaceRecord,
  { signal, leaveOut, populate }: CreateHooks,
): Promise<string[]> {
  const warnings = populate
    ? [...(await populate()).warnings]
    : await copyDirectory(record.repository, record.path, signal, leaveOut);
  const place = { objectStore: vaultDir, directory: record.path };
  const now = new Date(record.createdAt);
  await captureDirectory(git, place, {
    ref: baseRef(record),
    message: `base of ${record.name}`,
    now,
    temporaryRoot,
  });
  return warnings;
}

/** The parent of a snapshot is its workspace's base, so that earlier changes are changes again after a restore. */
async function restoreCopy(
  { git, vaultDir, temporaryRoot }: DirectoryBackendOptions,
  record: WorkspaceRecord,
  from: Snapshot,
  privateHome: string | undefined,
): Promise<string[]> {
  const commit = from.commit as string;
  await restoreDirectory(
    git,
    { objectStore: from.objectStore, directory: record.path },
    { commit, privateHome, temporaryRoot },
  );
  const [base = commit] = await readParents(git, from.objectStore, commit);
  await updateRefs(git, { gitDir: vaultDir }, [{ ref: baseRef(record), from: null, to: base }]);
  return [];
}
