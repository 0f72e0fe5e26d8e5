import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { carrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { listRefs, type RefChange } from '../../git/refs.js';
import type { Jj } from '../../jj/jj.js';

export interface JjBackendOptions {
  readonly git: Git;
  readonly jj: Jj;
  readonly temporaryRoot: string;
}

/** The git directory that jj keeps the commits in. */
export function requireCommonDir(record: Pick<WorkspaceRecord, 'id' | 'commonDir'>): string {
  if (record.commonDir === null)
    throw carrelError('INTERNAL', { problem: `the jj workspace ${record.id} has no git directory` });
  return record.commonDir;
}

/** jj is always asked through the workspace that the repository was made in; ours may be aside or gone. */
export const repositoryOf = (record: WorkspaceRecord) => ({
  root: record.repository,
  commonDir: requireCommonDir(record),
});

/** Whoever deletes a repository leaves its workspaces behind; then there is nothing to forget them in. */
export async function hasRepository(record: WorkspaceRecord): Promise<boolean> {
  const isThere = (path: string) =>
    lstat(path).then(
      info => info.isDirectory(),
      () => false,
    );
  return (await isThere(`${record.repository}/.jj`)) && (await isThere(requireCommonDir(record)));
}

const PINS = 'refs/carrel/workspaces';

/** Keeps the base commit alive when jj abandons it, so that `diff` always has something to stand on. */
export const basePin = (record: WorkspaceRecord): string => `${PINS}/${record.id}/base`;

/** Says that a bookmark of this name is ours, and where it was made. */
export const bookmarkPin = (record: WorkspaceRecord): string =>
  `${PINS}/${record.id}/bookmark/${record.branch}`;

/** The deletion of every pin of the workspace, for `updateRefs`. */
export async function listPins(git: Git, record: WorkspaceRecord): Promise<RefChange[]> {
  const refs = await listRefs(git, { gitDir: requireCommonDir(record) }, [dirname(basePin(record))]);
  return refs.map(({ ref, commit }) => ({ ref, from: commit, to: null }));
}

/** Names of all bookmarks that workspaces have of Carrel. */
export async function listOwnBookmarks(git: Git, commonDir: string): Promise<ReadonlySet<string>> {
  const refs = await listRefs(git, { gitDir: commonDir }, [PINS]);
  return new Set(
    refs.flatMap(({ ref }) => /^refs\/carrel\/workspaces\/[^/]+\/bookmark\/(.+)$/.exec(ref)?.[1] ?? []),
  );
}
