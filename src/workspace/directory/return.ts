import { carrelError } from '../../domain/error/error.js';
import { restoreDirectory } from '../../git/snapshot/capture/directory-snapshot.js';
import type { Returning } from '../backend.js';
import type { DirectoryBackendOptions } from './backend.js';
import { registerDirectory } from './registration.js';

/** A plain copy has no commits, so its files can only come from a snapshot. */
export const createDirectoryReturning = (options: DirectoryBackendOptions): Returning => ({
  fill: async (record, from, directory) => {
    if (!from) throw carrelError('SNAPSHOT_NOT_FOUND', { name: record.name, known: [] });
    const { git, vaultDir, temporaryRoot } = options;
    // Moving the directory into place does not change its identity.
    await registerDirectory(vaultDir, { ...record, path: directory });
    const commit = from.commit as string;
    await restoreDirectory(git, { objectStore: from.objectStore, directory }, { commit, temporaryRoot });
    return { warnings: [] };
  },
});
