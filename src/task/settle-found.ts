import type { WorkflowStage } from '../domain/workflow.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { readTip } from './branch-tip.js';
import type { Execution } from './execution.js';
import { settleRemainder } from './settle-remainder.js';

/**
 * What a retry finds in a workspace, of a run that was cancelled or killed or of a person who mended something, is
 * committed before the stage goes on there.
 */
export async function settleFound(
  execution: Execution,
  record: WorkspaceRecord,
  { name }: WorkflowStage,
): Promise<void> {
  const { context, task, tell } = execution;
  const { runs, head } = task.current();
  if (runs.length < 2) return;
  const { attempts } = task.stage(name);
  const what = `what was there before attempt ${attempts + 1}`;
  const before = (await readTip(context, record)) ?? head ?? record.base.commit;
  const { warnings } = await settleRemainder(execution, record, { stage: name, agent: null, what, before });
  for (const warning of warnings)
    tell({ stage: name, attempt: attempts, stream: 'carrel', text: `warning: ${warning}` });
}
