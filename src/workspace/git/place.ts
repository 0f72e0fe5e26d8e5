import { lstat } from 'node:fs/promises';
import { carrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { adminDirOf, type LinkedWorktree } from '../../git/linked-worktree.js';

/** Where git finds a workspace: its own git directory, its files, and the git directory that it shares. */
export interface WorktreePlace {
  readonly gitDir: string;
  readonly workTree: string;
  readonly commonDir: string;
  /** As in git/work-tree/place.ts. */
  readonly isForeign: boolean;
}

/**
 * Known from the record alone: the admin directory is named after the id, so it is never looked up by path. What a
 * sandbox stands around is written by whoever runs in it.
 */
export function worktreeGitDir(
  record: Pick<WorkspaceRecord, 'id' | 'path' | 'commonDir' | 'sandbox'>,
): WorktreePlace {
  const commonDir = requireCommonDir(record);
  const gitDir = adminDirOf({ commonDir, id: record.id });
  return { gitDir, workTree: record.path, commonDir, isForeign: record.sandbox !== undefined };
}

export function requireCommonDir(record: Pick<WorkspaceRecord, 'id' | 'commonDir'>): string {
  if (record.commonDir === null)
    throw carrelError('INTERNAL', { problem: `the git workspace ${record.id} has no git directory` });
  return record.commonDir;
}

/** Whoever deletes a repository leaves its workspaces behind; then there is nothing to forget them in. */
export function hasRepository(record: Pick<WorkspaceRecord, 'id' | 'commonDir'>): Promise<boolean> {
  return lstat(requireCommonDir(record)).then(
    info => info.isDirectory(),
    () => false,
  );
}

export const worktreeOf = (record: WorkspaceRecord): LinkedWorktree => ({
  commonDir: requireCommonDir(record),
  id: record.id,
  path: record.path,
  isClosed: canBeUncovered(record),
});

/**
 * Who may make namespaces inside can get at what is covered there (see docs/guides/sandbox.md), so a repository that
 * stands at the workspace's path may be anybody's: git outside is not led there in the first place. With `surgical` the
 * link is the one that is used inside.
 */
const canBeUncovered = ({ sandbox }: WorkspaceRecord): boolean =>
  sandbox?.nested === true && sandbox.git === 'private';

/** The workspace's own branch. */
export const branchRef = (record: WorkspaceRecord): string => `refs/heads/${record.branch}`;

/** Keeps the base commit alive when the user's branches leave it, so that `diff` always has something to stand on. */
export const basePin = (record: WorkspaceRecord): string => `refs/carrel/workspaces/${record.id}/base`;

/** Where the branch was made, in one transaction with it: proof that the branch is ours. */
export const startPin = (record: WorkspaceRecord): string => `refs/carrel/workspaces/${record.id}/start`;
