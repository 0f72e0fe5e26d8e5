import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { listRefs, type RefChange } from '../../git/refs/refs.js';
import type { Jj } from '../../jj/jj.js';

export interface JjBackendOptions {
  readonly git: Git;
  readonly jj: Jj;
  readonly temporaryRoot: string;
  /** Where to store the part of snapshots that git must never push. */
  readonly keptDir: string;
  /** What a sandboxed workspace keeps outside its sandbox; aborted inspections are remembered there. */
  readonly ownDirOf: (workspaceId: string) => string;
}

/** The git directory that jj keeps the commits in. */
export function requireCommonDir(record: Pick<WorkspaceRecord, 'id' | 'commonDir'>): string {
  if (record.commonDir === null)
    throw carrelError('INTERNAL', { problem: `the jj workspace ${record.id} has no git directory` });
  return record.commonDir;
}

/** jj always runs in the repository's first workspace; ours may be set aside or gone. */
export const repositoryOf = (record: WorkspaceRecord) => ({
  root: record.repository,
  commonDir: requireCommonDir(record),
});

/** When the user deletes a repository its workspaces stay; then there is nothing to unregister them from. */
export async function hasRepository(record: WorkspaceRecord): Promise<boolean> {
  const isThere = (path: string) =>
    lstat(path).then(
      info => info.isDirectory(),
      () => false,
    );
  return (await isThere(`${record.repository}/.jj`)) && (await isThere(requireCommonDir(record)));
}

const PINS = 'refs/carrel/workspaces';

/** Keeps the base commit alive when jj abandons it, so that `diff` always has a base. */
export const basePin = (record: WorkspaceRecord): string => `${PINS}/${record.id}/base`;

/** Proves that a bookmark of this name is ours, and records where it was created. */
export const bookmarkPin = (record: WorkspaceRecord): string =>
  `${PINS}/${record.id}/bookmark/${record.branch}`;

/** Below it is the name of the workspace in jj, see jj-name.ts. */
export const namePins = (record: WorkspaceRecord): string => `${PINS}/${record.id}/jj`;

/** Deletes every pin of the workspace, for `updateRefs`. */
export async function listPins(git: Git, record: WorkspaceRecord): Promise<RefChange[]> {
  const refs = await listRefs(git, { gitDir: requireCommonDir(record) }, [dirname(basePin(record))]);
  return refs.map(({ ref, commit }) => ({ ref, from: commit, to: null }));
}

/** Names of all bookmarks that Carrel created for workspaces. */
export async function listOwnBookmarks(git: Git, commonDir: string): Promise<ReadonlySet<string>> {
  const refs = await listRefs(git, { gitDir: commonDir }, [PINS]);
  return new Set(
    refs.flatMap(({ ref }) => /^refs\/carrel\/workspaces\/[^/]+\/bookmark\/(.+)$/.exec(ref)?.[1] ?? []),
  );
}
