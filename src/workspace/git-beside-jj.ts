import { isCarrelError } from '../domain/error/error.js';
import type { WorkspaceRecord } from '../domain/workspace/workspace.js';
import type { Jj } from '../jj/jj.js';
import type { Backend, Landing, Removal } from './backend.js';
import { importIntoJj, updateFromJj } from './sync-jj.js';

/**
 * Worktrees in a git directory that jj may keep its commits in, as for the sandboxed workspaces of a jj repository: jj's
 * bookmarks are exported before branches are read, and branch changes are imported into jj. When the import fails, the
 * work is still done: jj sees the change on its next import.
 */
export function besideJj(worktrees: Backend, jj: Jj): Backend {
  const ask = (record: WorkspaceRecord) => (record.sandbox ? updateFromJj(jj, record) : undefined);
  const glance = (record: WorkspaceRecord) => ask(record)?.catch(ignoreJj);
  const tell = async (record: WorkspaceRecord) => void (record.sandbox && (await importIntoJj(jj, record)));
  const { create, undoCreate, inspect, findRisks, removal, landing } = worktrees;
  return {
    ...worktrees,
    create: async (record, hooks) => {
      const created = await create(record, hooks);
      await tell(record);
      return created;
    },
    undoCreate: async record => {
      await undoCreate(record);
      await tell(record);
    },
    inspect: async (records, options) => {
      if (!options.presenceOnly) for (const record of oneOfEach(records)) await glance(record);
      return inspect(records, options);
    },
    findRisks: async (record, limits, risks) => {
      await glance(record);
      return findRisks(record, limits, risks);
    },
    removal: importAfterRemoval(removal, tell),
    landing: landing && importAfterLanding(landing, ask, tell),
  };
}

/** Read-only calls use git's branches, which may lag behind: they show at most what has landed. */
function ignoreJj(error: unknown): void {
  if (!isCarrelError(error, 'JJ_FAILED', 'JJ_MISSING')) throw error;
}

/** One sandboxed workspace of each repository. */
const oneOfEach = (records: readonly WorkspaceRecord[]): Iterable<WorkspaceRecord> =>
  new Map(
    records.filter(({ sandbox }) => sandbox).map(record => [record.repositoryId, record] as const),
  ).values();

type Act = (record: WorkspaceRecord) => Promise<void> | undefined;

const importAfterRemoval = (removal: Removal, tell: Act): Removal => ({
  ...removal,
  unregister: async (record, accepted, held, clean) => {
    const outcome = await removal.unregister(record, accepted, held, clean);
    await tell(record);
    return outcome;
  },
});

const importAfterLanding = (landing: Landing, ask: Act, tell: Act): Landing => ({
  ...landing,
  prepare: async (record, request) => {
    await ask(record);
    return landing.prepare(record, request);
  },
  move: async (record, plan, onStep) => {
    await landing.move(record, plan, onStep);
    await tell(record);
  },
  finish: async (record, plan) => {
    await landing.finish(record, plan);
    await tell(record);
  },
});
