import type { Snapshot } from '../../domain/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { captureDirectory, restoreDirectory } from '../../git/capture/directory.js';
import { readParents } from '../../git/object-reader.js';
import { updateRefs } from '../../git/refs.js';
import { destroyAside, moveAside } from '../aside.js';
import type { CreateHooks, CreateResult } from '../backend.js';
import { releaseRef } from '../release-ref.js';
import type { DirectoryBackendOptions } from './backend.js';
import { baseRef } from './base.js';
import { copyDirectory } from './copy.js';
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
    : await makeCopy(options, record, hooks.signal);
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
  await destroyAside(record);
}

/** The base is taken from the copy, not from the source, which may change meanwhile. */
async function makeCopy(
  { git, vaultDir, temporaryRoot }: DirectoryBackendOptions,
  record: WorkspaceRecord,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const warnings = await copyDirectory(record.repository, record.path, signal);
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

/** The parent of a snapshot is the base that its workspace had, so that what was a change then is one again. */
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
