import { carrelError } from '../../domain/error/error.js';
import type { Git } from '../../git/git.js';
import type { Backend } from '../backend.js';
import { locateDirectory } from '../location/locate-directory.js';
import { inspectionOfFailure } from '../location/presence.js';
import { createCopy, undoCreateCopy } from './create.js';
import { createDirectoryDiffing } from './diffing.js';
import { findBase } from './directory-base.js';
import { findCopyRisks, inspectCopy } from './inspect.js';
import { findPresence } from './registration.js';
import { createDirectoryRemoval } from './removal.js';
import { createDirectoryReturning } from './return.js';
import { createDirectorySnapshots } from './snapshots.js';

export interface DirectoryBackendOptions {
  readonly git: Git;
  /** Carrel's own bare repository; created on first use. */
  readonly vaultDir: string;
  readonly temporaryRoot: string;
}

/** A plain copy of a directory without version control; Carrel keeps its history in the vault. */
export function createDirectoryBackend(options: DirectoryBackendOptions): Backend {
  return {
    name: 'directory',
    ownsFiles: true,
    locate: locateDirectory,
    resolve: async (repository, { base }) => {
      if (base !== undefined) throw carrelError('UNKNOWN_BASE', { ref: base, repository: repository.root });
      return { branch: null, base: { ref: null, commit: null } };
    },
    create: (record, hooks) => createCopy(options, record, hooks),
    undoCreate: record => undoCreateCopy(options, record),
    inspect: async (records, inspectOptions) => {
      const inspections = [];
      // Sequential: each reads a whole directory.
      for (const record of records)
        inspections.push(
          await inspectCopy(options, record, inspectOptions).catch(failure =>
            inspectionOfFailure(failure, () => findPresence(options.vaultDir, record)),
          ),
        );
      return inspections;
    },
    findRisks: record => findCopyRisks(options, record),
    findStart: record => findBase(options.git, options.vaultDir, record),
    workTree: () => null,
    removal: createDirectoryRemoval(options.git, options.vaultDir),
    diffing: createDirectoryDiffing(options),
    snapshots: createDirectorySnapshots(options),
    returning: createDirectoryReturning(options),
    landing: null,
  };
}
