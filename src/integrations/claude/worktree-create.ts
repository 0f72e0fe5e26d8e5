import { carrelError, isCarrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Context } from '../../operations/context.js';
import { findWorkspace } from '../../operations/find.js';
import { locateRepository } from '../../operations/locate-repository.js';
import { requireUnheld } from '../../operations/require-unheld.js';
import { applyTemplate } from '../../operations/settings.js';
import { up } from '../../operations/up.js';
import type { Repository } from '../../workspace/backend.js';
import type { CreateInput } from './hook-input.js';
import { toWorkspaceName } from './worktree-name.js';

export interface WorktreeWish extends Omit<CreateInput, 'cwd'> {
  /** A directory in the repository. */
  readonly repository: string;
  /** Whether the user says that no sandbox is needed, whatever the configuration has. */
  readonly isWorktreeEnough: boolean;
  readonly signal: AbortSignal;
}

/**
 * A workspace for a session of Claude Code, or the one of that name that is there: a session that is resumed asks again.
 * Gives its path. Claude Code itself works in it from outside, so that there is no sandbox around what it does; where
 * one is asked for that is refused: ISOLATION_UNAVAILABLE.
 */
export async function createWorktree(context: Context, wish: WorktreeWish): Promise<string> {
  const { base, signal } = wish;
  const located = await locateRepository(context, wish.repository);
  // A subagent's session may be in a worktree itself, from which no workspace can be made.
  const repository = located.root;
  if (!wish.isWorktreeEnough) await requireNoSandbox(context, located);
  const name = wish.name === undefined ? undefined : toWorkspaceName(wish.name);
  try {
    return (await up(context, { repository, name, base, isolation: 'worktree', signal })).path;
  } catch (error) {
    if (name === undefined || !isCarrelError(error, 'WORKSPACE_EXISTS')) throw error;
    const record = await findWorkspace(context, { repository, name });
    // That is the user's own checkout.
    if (record.backend === 'direct') throw error;
    return requireUsable(record, context);
  }
}

const REASON = 'Claude Code works in the workspace from outside of its sandbox';

async function requireNoSandbox(context: Context, repository: Repository): Promise<void> {
  const { isolation } = await applyTemplate(context, repository, undefined);
  if (isolation === 'full')
    throw carrelError('ISOLATION_UNAVAILABLE', { requested: isolation, reason: REASON });
}

async function requireUsable(record: WorkspaceRecord, context: Context): Promise<string> {
  const { name, status, path, isolation } = record;
  if (status !== 'ready') throw carrelError('WORKSPACE_BUSY', { name, status });
  await requireUnheld(context, record);
  if (isolation.requested === 'full')
    throw carrelError('ISOLATION_UNAVAILABLE', { requested: 'full', reason: REASON });
  context.narrate(`the workspace ${name} is there already and is used`);
  return path;
}
