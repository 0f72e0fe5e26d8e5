import { requireDirectory } from '../../git/repository/locate-git-repository.js';
import { locateJjRepository } from '../../jj/repository.js';
import type { Backend } from '../backend.js';
import { createJjWorkspace, undoCreateJjWorkspace } from './create.js';
import { createJjDiffing } from './diffing.js';
import { inspectJjWorkspaces } from './inspect.js';
import type { JjBackendOptions } from './jj-place.js';
import { relinkDirectory } from './jj-presence.js';
import { createJjLanding } from './land.js';
import { createJjRemoval } from './removal.js';
import { resolveRequest } from './resolve.js';
import { createJjReturning } from './return.js';
import { findJjRisks } from './risks.js';
import { createJjSnapshots } from './snapshots.js';

/** Workspaces of a jj repository, each with its own working-copy commit and bookmark. */
export function createJjBackend(options: JjBackendOptions): Backend {
  return {
    name: 'jj',
    ownsFiles: true,
    locate: async path => locateJjRepository(await requireDirectory(path)),
    resolve: (repository, request) => resolveRequest(options, repository, request),
    create: (record, hooks) => createJjWorkspace(options, record, hooks),
    undoCreate: record => undoCreateJjWorkspace(options, record),
    inspect: (records, look) => inspectJjWorkspaces(options, records, look),
    findRisks: (record, limits, risks) => findJjRisks(options, record, limits, risks),
    relink: (record, former) => relinkDirectory(record, former.repository),
    // Git finds no worktree in them, and jj has no submodules.
    workTree: () => null,
    removal: createJjRemoval(options),
    diffing: createJjDiffing(options),
    snapshots: createJjSnapshots(options),
    returning: createJjReturning(options),
    landing: createJjLanding(options),
  };
}
