import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import type { RemovalResult } from '../../domain/report/result.js';
import type { Context } from '../../operations/context.js';
import { removeWorkspace } from '../../operations/removal/down.js';

/**
 * Removes the workspace at a path when nothing would be lost; REMOVAL_REFUSED otherwise, after which Claude Code says that
 * it was kept (seen in 2.1.197; it falls back to a forced removal only where there is no hook at all). Undefined when it
 * is already gone. A directory that is not a workspace is not touched: WORKSPACE_NOT_FOUND.
 */
export async function removeWorktree(
  context: Context,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<RemovalResult | undefined> {
  const real = (await realpath(path).catch(ignoreMissing)) ?? path;
  const records = await context.store.workspaces.list();
  const record = records.find(workspace => workspace.path === real);
  if (record)
    return removeWorkspace(context, { repository: record.repository, name: record.id, accepted: {}, signal });
  if (!existsSync(real)) return undefined;
  throw carrelError('WORKSPACE_NOT_FOUND', { name: path, known: records.map(workspace => workspace.path) });
}
