import { carrelError } from '../../../domain/error/error.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { readRef } from '../../../git/refs/refs.js';
import type { Context } from '../../../operations/context.js';

/** The current git commit of a workspace's branch; undefined where git has no separate branch for it, as in jj. */
export async function readTip(
  { git }: Pick<Context, 'git'>,
  { backend, commonDir, branch }: WorkspaceRecord,
): Promise<string | undefined> {
  if (commonDir === null || branch === null || (backend !== 'git' && backend !== 'overlay')) return undefined;
  return readRef(git, { gitDir: commonDir }, `refs/heads/${branch}`);
}

/** UNKNOWN_BRANCH */
export async function requireTip(context: Pick<Context, 'git'>, record: WorkspaceRecord): Promise<string> {
  const tip = await readTip(context, record);
  if (tip) return tip;
  throw carrelError('UNKNOWN_BRANCH', {
    branch: record.branch ?? record.name,
    repository: record.repository,
  });
}
