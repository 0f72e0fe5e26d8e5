import { carrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { TakenBack } from '../sandbox/sandboxes.js';
import type { Context } from './context.js';
import { inRepositoryLock } from './repository-lock.js';

/**
 * Brings the commits of a sandboxed workspace to its branch before somebody looks at that. What can't be taken stays
 * inside and is told; whoever needs it calls `requireCommitsBack`.
 */
export async function takeCommitsBack(
  context: Context,
  record: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<TakenBack | undefined> {
  if (!record.sandbox) return undefined;
  const taken = await (await context.sandboxes()).takeBack(record, signal);
  if (taken.outcome === 'refused')
    context.narrate(`warning: commits stay inside and were not taken back: ${taken.problems.join('; ')}`);
  for (const warning of taken.warnings) context.narrate(`warning: ${warning}`);
  return taken;
}

/** TAKE_BACK_REFUSED */
export async function requireCommitsBack(
  context: Context,
  record: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<void> {
  if (!record.sandbox) return;
  const taken = await (await context.sandboxes()).takeBack(record, signal);
  if (taken.outcome !== 'refused') return;
  const { problems, unmerged = null } = taken;
  throw carrelError('TAKE_BACK_REFUSED', { workspace: record.name, problems, unmerged });
}

/** Runs an action on files that nobody in a sandbox changes meanwhile. One at a time: the first to end would wake it. */
export async function whileStill<T>(
  context: Context,
  record: WorkspaceRecord,
  action: () => Promise<T>,
): Promise<T> {
  if (!record.sandbox) return action();
  const sandboxes = await context.sandboxes();
  const place = { repositoryId: `sandbox of ${record.id}`, repository: record.path };
  return inRepositoryLock(context, place, () => sandboxes.whileHalted(record, action));
}
