import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { findTaskRisk } from './task-of-workspace.js';

/** WORKSPACE_BUSY when it is leased or a task works in it: then no other agent may work in it. */
export async function requireUnheld(
  context: Pick<Context, 'store' | 'self'>,
  record: WorkspaceRecord,
): Promise<void> {
  const { name, lease } = record;
  if (lease) throw carrelError('WORKSPACE_BUSY', { name, status: `leased by ${lease.holder}` });
  const [task] = await findTaskRisk(context, record);
  if (task) throw carrelError('WORKSPACE_BUSY', { name, status: `in use for ${task.items.join(', ')}` });
}
