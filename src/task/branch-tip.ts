import { carrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { readRef } from '../git/refs.js';
import type { Context } from '../operations/context.js';

/** Where the branch of a workspace is in git now; undefined where git has none of its own for it, as in jj. */
export async function readTip(
  { git }: Context,
  { backend, commonDir, branch }: WorkspaceRecord,
): Promise<string | undefined> {
  if (commonDir === null || branch === null || (backend !== 'git' && backend !== 'overlay')) return undefined;
  return readRef(git, { gitDir: commonDir }, `refs/heads/${branch}`);
}

/** UNKNOWN_BRANCH */
export async function requireTip(context: Context, record: WorkspaceRecord): Promise<string> {
  const tip = await readTip(context, record);
  if (tip) return tip;
  throw carrelError('UNKNOWN_BRANCH', {
    branch: record.branch ?? record.name,
    repository: record.repository,
  });
}
