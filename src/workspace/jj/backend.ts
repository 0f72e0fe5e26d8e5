import { requireDirectory } from '../../git/locate.js';
import { locateJjRepository } from '../../jj/repository.js';
import type { Backend } from '../backend.js';
import { createJjWorkspace, undoCreateJjWorkspace } from './create.js';
import { createJjDiffing } from './diffing.js';
import { inspectJjWorkspaces } from './inspect.js';
import { createJjLanding } from './land.js';
import type { JjBackendOptions } from './place.js';
import { createJjRemoval } from './removal.js';
import { resolveRequest } from './resolve.js';
import { findJjRisks } from './risks.js';
import { createJjSnapshots } from './snapshots.js';

/** Workspaces of a jj repository, each with a working-copy commit and a bookmark of its own. */
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
    // Git finds nothing in them, and jj knows no submodules.
    workTree: () => null,
    removal: createJjRemoval(options),
    diffing: createJjDiffing(options),
    snapshots: createJjSnapshots(options),
    landing: createJjLanding(options),
  };
}
