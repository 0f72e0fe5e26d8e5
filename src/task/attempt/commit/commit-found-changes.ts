import type { WorkflowStage } from '../../../domain/workflow/workflow.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Execution } from '../../execution.js';
import { findHead } from '../../record/task-repositories.js';
import { readTip } from './branch-tip.js';
import { readPartCommits } from './commit-parts.js';
import { commitRemainingChanges } from './commit-remaining-changes.js';

/**
 * What a retry finds in a workspace, from a cancelled or killed run or from the user's own fixes, is
 * committed before the stage continues there.
 */
export async function commitFoundChanges(
  execution: Execution,
  record: WorkspaceRecord,
  { name }: WorkflowStage,
): Promise<void> {
  const { context, task, tell } = execution;
  const current = task.current();
  const { runs, head } = current;
  if (runs.length < 2) return;
  const { attempts } = task.stage(name);
  const what = `changes from before attempt ${attempts + 1}`;
  const before = (await readTip(context, record)) ?? head ?? record.base.commit;
  const { warnings } = await commitRemainingChanges(execution, record, {
    stage: name,
    agent: null,
    what,
    before,
    parts: await readPartCommits(context, record, part => findHead(current, part)),
  });
  for (const warning of warnings)
    tell({ stage: name, attempt: attempts, stream: 'carrel', text: `warning: ${warning}` });
}
