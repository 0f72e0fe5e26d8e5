import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { ImportedCommits } from '../../sandbox/sandboxes.js';
import type { Context } from '../context.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';

/**
 * Imports the commits of a sandboxed workspace to its branch before the branch is read. What can't be imported stays inside and is
 * reported; callers that need it use `requireImportedCommits`.
 */
export async function importCommits(
  context: Pick<Context, 'sandboxes' | 'narrate'>,
  record: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<ImportedCommits | undefined> {
  if (!record.sandbox) return undefined;
  const imported = await (await context.sandboxes()).importFromSandbox(record, signal);
  if (imported.outcome === 'refused')
    context.narrate(
      `warning: commits were not imported and stay in the sandbox: ${imported.problems.join('; ')}`,
    );
  for (const warning of imported.warnings) context.narrate(`warning: ${warning}`);
  return imported;
}

/** TAKE_BACK_REFUSED */
export async function requireImportedCommits(
  context: Pick<Context, 'sandboxes'>,
  record: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<void> {
  if (!record.sandbox) return;
  const imported = await (await context.sandboxes()).importFromSandbox(record, signal);
  if (imported.outcome !== 'refused') return;
  const { problems, unmerged = null } = imported;
  throw carrelError('TAKE_BACK_REFUSED', { workspace: record.name, problems, unmerged });
}

/** Runs an action while a sandbox is paused, so that its files don't change. One at a time: the first to finish would resume it. */
export async function whileSandboxPaused<T>(
  context: Pick<Context, 'store' | 'sandboxes' | 'ids' | 'now' | 'self'>,
  record: WorkspaceRecord,
  action: () => Promise<T>,
): Promise<T> {
  if (!record.sandbox) return action();
  const sandboxes = await context.sandboxes();
  // The parts of a workspace with several repositories are in one.
  const place = { repositoryId: `sandbox of ${record.group?.id ?? record.id}`, repository: record.path };
  return inRepositoryLock(context, place, () => sandboxes.whileHalted(record, action));
}
