import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import { requireUnheld } from '../../operations/guard/require-idle.js';
import { locateRepository } from '../../operations/repository/locate-repository.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import { findWorkspace } from '../../operations/workspace/find-workspace.js';
import { up } from '../../operations/workspace/up.js';
import type { Repository } from '../../workspace/backend.js';
import type { CreateInput } from './hook-input.js';
import { toWorkspaceName } from './worktree-name.js';

export interface WorktreeRequest extends Omit<CreateInput, 'cwd'> {
  /** A directory in the repository. */
  readonly repository: string;
  /** Whether the user says that no sandbox is needed, regardless of the configuration. */
  readonly isWorktreeEnough: boolean;
  readonly signal: AbortSignal;
}

/**
 * Creates a workspace for a session of Claude Code, or uses the existing one of that name: a resumed session asks again.
 * Returns its path. Claude Code itself works in it from outside the sandbox, so a request for a sandbox is refused:
 * ISOLATION_UNAVAILABLE.
 */
export async function createWorktree(context: Context, request: WorktreeRequest): Promise<string> {
  const { base, signal } = request;
  const located = await locateRepository(context, request.repository);
  // A subagent's session may be in a worktree itself, from which no workspace can be created.
  const repository = located.root;
  if (!request.isWorktreeEnough) await requireNoSandbox(context, located);
  const name = request.name === undefined ? undefined : toWorkspaceName(request.name);
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

const REASON = 'Claude Code works in the workspace from outside its sandbox';

async function requireNoSandbox(
  context: Pick<Context, 'places' | 'environment' | 'loadConfig'>,
  repository: Repository,
): Promise<void> {
  const { isolation } = await applyTemplate(context, repository, undefined);
  if (isolation.mode === 'full')
    throw carrelError('ISOLATION_UNAVAILABLE', { requested: 'full', reason: REASON });
}

async function requireUsable(
  record: WorkspaceRecord,
  context: Pick<Context, 'store' | 'self' | 'narrate'>,
): Promise<string> {
  const { name, status, path, isolation } = record;
  if (status !== 'ready') throw carrelError('WORKSPACE_BUSY', { name, status });
  await requireUnheld(context, record);
  if (isolation.requested === 'full')
    throw carrelError('ISOLATION_UNAVAILABLE', { requested: 'full', reason: REASON });
  context.narrate(`using the existing workspace ${name}`);
  return path;
}
