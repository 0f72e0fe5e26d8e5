import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { readRef } from '../../git/refs/refs.js';

/** Pins the files that a workspace had at creation. */
export const baseRef = (record: WorkspaceRecord): string => `refs/carrel/workspaces/${record.id}/base`;

/** Undefined when the vault does not (or no longer) have it. */
export async function findBase(
  git: Git,
  vaultDir: string,
  record: WorkspaceRecord,
): Promise<string | undefined> {
  return readRef(git, { gitDir: vaultDir }, baseRef(record));
}
