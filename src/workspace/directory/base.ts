import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { readRef } from '../../git/refs.js';

/** Pins what the files of a workspace were when it was made. */
export const baseRef = (record: WorkspaceRecord): string => `refs/carrel/workspaces/${record.id}/base`;

/** Undefined when the vault does not know it (any more). */
export async function findBase(
  git: Git,
  vaultDir: string,
  record: WorkspaceRecord,
): Promise<string | undefined> {
  return readRef(git, { gitDir: vaultDir }, baseRef(record));
}
