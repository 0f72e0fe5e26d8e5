import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { Git } from '../../git/git.js';
import { requireFreeBranch } from '../../git/refs/free-branch.js';
import { resolveCommit, symbolicHead } from '../../git/refs/refs.js';
import { findCheckout } from '../../git/repository/find-checkout.js';
import { locateGitRepository, requireDirectory } from '../../git/repository/locate-git-repository.js';
import type { Backend, Repository, ResolvedRequest, ResolveRequest } from '../backend.js';
import { locateDirectory } from '../location/locate-directory.js';
import { findDirectoryPresence, inspectionOfFailure } from '../location/presence.js';
import { registerBranch, unregisterBranch } from './branch.js';
import { createDirectDiffing } from './diffing.js';
import { findPlace, inspectDirect } from './inspect.js';
import { createDirectSnapshots } from './snapshots.js';

export interface DirectBackendOptions {
  readonly git: Git;
  readonly temporaryRoot: string;
  /** Where to store the part of snapshots that git must never push. */
  readonly keptDir: string;
}

/**
 * One of the user's directories, used in place, inside git or not; also the repository itself for isolation `shared`.
 * Nothing here writes to its files or deletes them: creating and removing only change Carrel's records, and for a sandbox the
 * refs of that workspace.
 */
export function createDirectBackend(options: DirectBackendOptions): Backend {
  const { git } = options;
  return {
    name: 'direct',
    ownsFiles: false,
    locate: path => locate(git, path),
    resolve: (repository, request) => resolve(git, repository, request),
    create: async (record, hooks) => {
      if (hooks.from)
        throw carrelError('NOT_SUPPORTED', { what: 'be overwritten by a snapshot', backend: 'direct' });
      await requireDirectory(record.path);
      await registerBranch(git, record);
      await hooks.onStep('registered');
      await hooks.onStep('populated');
      return { warnings: [] };
    },
    undoCreate: async record => {
      await unregisterBranch(git, record);
    },
    inspect: (records, inspectOptions) =>
      Promise.all(
        records.map(record =>
          inspectDirect(options, record, inspectOptions).catch(failure =>
            inspectionOfFailure(failure, () => findDirectoryPresence(record.path)),
          ),
        ),
      ),
    findRisks: async () => [],
    workTree: () => null,
    removal: {
      // Only a sandbox holds more than the user's files: a private git directory and a home.
      hasRemains: async record =>
        record.sandbox !== undefined &&
        record.commonDir !== null &&
        (await findPlace(git, record)).presence.kind === 'present',
      asideOf: record => record.path,
      setAside: async () => {},
      putBack: async () => {},
      unregister: record => unregisterBranch(git, record),
      destroy: async () => {},
    },
    diffing: createDirectDiffing(options),
    snapshots: createDirectSnapshots(options),
    returning: null,
    landing: null,
  };
}

async function locate(git: Git, path: string): Promise<Repository> {
  try {
    return await locateGitRepository(git, path);
  } catch (error) {
    if (isCarrelError(error, 'NOT_A_REPOSITORY', 'BARE_REPOSITORY')) return locateDirectory(path);
    throw error;
  }
}

/** The base is the commit that later changes are compared with. Only a sandbox has a branch, which must be new. */
async function resolve(git: Git, repository: Repository, request: ResolveRequest): Promise<ResolvedRequest> {
  const { commonDir, root, linkedWorktree } = repository;
  if (commonDir === null) {
    if (request.base === undefined) return { branch: null, base: { ref: null, commit: null } };
    throw carrelError('UNKNOWN_BASE', { ref: request.base, repository: root });
  }
  const place = { gitDir: (await findCheckout(git, linkedWorktree ?? root))?.gitDir ?? commonDir };
  const commit = await resolveCommit(git, place, request.base ?? 'HEAD');
  if (!commit && request.base !== undefined)
    throw carrelError('UNKNOWN_BASE', { ref: request.base, repository: root });
  const ref = request.base ?? (await symbolicHead(git, place)) ?? null;
  const { branch = null } = request;
  if (branch !== null) await requireFreeBranch(git, commonDir, branch);
  return { branch, base: { ref, commit: commit ?? null } };
}
