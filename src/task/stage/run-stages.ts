import { carrelError } from '../../domain/error/error.js';
import { waitsForApproval } from '../../domain/task/task-state.js';
import { findStrongerIsolation } from '../../domain/workflow/stage-isolation.js';
import { findReady } from '../../domain/workflow/stage-order.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { listParts } from '../../operations/group/group-records.js';
import { readTip } from '../attempt/commit/branch-tip.js';
import { commitFoundChanges } from '../attempt/commit/commit-found-changes.js';
import { CANCELLED, DONE, type Ending, type Execution, GATED } from '../execution.js';
import { findHead, mapParts } from '../record/task-repositories.js';
import { canRunInParallel } from './join-work.js';
import { runParallelStages } from './run-parallel-stages.js';
import { runStage } from './run-stage.js';
import { succeedStage } from './succeed-stage.js';

/**
 * Runs the stages that have not succeeded yet, in order of their dependencies. Gated when the remaining ones depend on a
 * stage that the user has not approved.
 */
export async function runStages(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  for (let isFirst = true; ; isFirst = false) {
    const ready = listReady(execution);
    const [next] = ready;
    if (!next) return hasPending(execution) ? (execution.signal.aborted ? CANCELLED : GATED) : DONE;
    if (isFirst) await commitFoundChanges(execution, workspace, next);
    const ending = shouldRunInParallel(execution, workspace, ready)
      ? await runParallelStages(execution, workspace, ready)
      : await runAlone(execution, workspace, next);
    if (ending.kind !== 'done') return ending;
  }
}

function listReady({ task }: Execution): WorkflowStage[] {
  const { plan, stages } = task.current();
  const worked = stages.filter(stage => stage.status === 'succeeded');
  const done = new Set(worked.filter(stage => !waitsForApproval(stage)).map(stage => stage.name));
  const ready = findReady(plan.workflow.stages, done);
  return ready
    .filter(name => !worked.some(stage => stage.name === name))
    .map(name => {
      const stage = plan.workflow.stages.find(each => each.name === name);
      if (!stage) throw carrelError('INTERNAL', { problem: `the workflow has no stage ${name}` });
      return stage;
    });
}

const hasPending = ({ task }: Execution): boolean =>
  task.current().stages.some(stage => stage.status === 'pending');

/** Also for a stage with stronger isolation, and for one that had its own workspace when an earlier run ended. */
function shouldRunInParallel(
  { task }: Execution,
  workspace: WorkspaceRecord,
  ready: readonly WorkflowStage[],
): boolean {
  const hasOwn = ready.some(
    stage =>
      task.stage(stage.name).workspaceName !== null ||
      findStrongerIsolation(stage, workspace.isolation.effective) !== undefined,
  );
  return canRunInParallel(workspace) && (ready.length > 1 || hasOwn);
}

async function runAlone(
  execution: Execution,
  workspace: WorkspaceRecord,
  stage: WorkflowStage,
): Promise<Ending> {
  const { context, task } = execution;
  const base = task.current().head ?? workspace.base.commit;
  const before = (await readTip(context, workspace)) ?? base;
  const bases = mapParts(await listParts(context, workspace), part => findHead(task.current(), part));
  const ending = await runStage(execution, { record: workspace, stage, base, before, bases });
  if (ending.kind !== 'worked') return ending;
  await succeedStage(execution, stage, ending.patch);
  return DONE;
}
