import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { listParts } from '../../operations/group/group-records.js';
import { readTip } from '../attempt/commit/branch-tip.js';
import { commitFoundChanges } from '../attempt/commit/commit-found-changes.js';
import { explainAttemptError } from '../attempt/explain-attempt-error.js';
import { DONE, type Ending, type Execution, failed } from '../execution.js';
import { mapParts } from '../record/task-repositories.js';
import { joinStage, resumeJoin } from './join-stage.js';
import { runStage, type StageEnding } from './run-stage.js';
import { openStageWorkspace } from './task-workspace.js';

/**
 * Runs each stage in its own workspace, then joins them in the order of the workflow, so that the result does not depend on
 * timing. Successful stages are joined and kept even when another failed. Work finished in an earlier run is only
 * joined.
 */
export async function runParallelStages(
  execution: Execution,
  workspace: WorkspaceRecord,
  ready: readonly WorkflowStage[],
): Promise<Ending> {
  const places: Place[] = [];
  for (const stage of ready) {
    const place = await findPlace(execution, workspace, stage);
    if (place.kind === 'failed') return place;
    if (place.kind === 'place') places.push(place);
  }
  const joined: Ending[] = [];
  for (const { stage, own, ending } of await runAllStages(execution, places))
    joined.push(ending.kind === 'worked' ? await joinStage(execution, workspace, { stage, own }) : ending);
  return (
    joined.find(ending => ending.kind === 'cancelled') ??
    joined.find(ending => ending.kind === 'failed') ??
    DONE
  );
}

interface Place {
  readonly kind: 'place';
  readonly stage: WorkflowStage;
  readonly own: WorkspaceRecord;
  /** Whether its work was done in an earlier run. */
  readonly hasWorked: boolean;
}

type Found = Place | { readonly kind: 'joined' } | Extract<Ending, { kind: 'failed' }>;

async function findPlace(
  execution: Execution,
  workspace: WorkspaceRecord,
  stage: WorkflowStage,
): Promise<Found> {
  const { context, task } = execution;
  const resumed = await resumeJoin(execution, workspace, stage);
  if (resumed.kind === 'joined') return resumed;
  try {
    const base = (await readTip(context, workspace)) ?? task.current().head ?? 'HEAD';
    const own = resumed.own ?? (await openStageWorkspace(execution, workspace, stage, base));
    await commitFoundChanges(execution, own, stage);
    return { kind: 'place', stage, own, hasWorked: resumed.own !== undefined };
  } catch (error) {
    if (execution.signal.aborted) throw error;
    return failed(explainAttemptError(error, undefined, stage.name).failure);
  }
}

interface FinishedStage {
  readonly stage: WorkflowStage;
  readonly own: WorkspaceRecord;
  readonly ending: StageEnding;
}

/** When one throws, the others are stopped and awaited: nothing keeps running unnoticed. */
async function runAllStages(execution: Execution, places: readonly Place[]): Promise<FinishedStage[]> {
  const breakdown = new AbortController();
  const signal = AbortSignal.any([execution.signal, breakdown.signal]);
  const outcomes = await Promise.allSettled(
    places.map(async place => {
      try {
        return await runOneStage({ ...execution, signal }, place);
      } catch (error) {
        breakdown.abort();
        throw error;
      }
    }),
  );
  return outcomes.map(outcome => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** Recorded as done before it is joined: a resume after a crash does not repeat it. */
async function runOneStage(execution: Execution, { stage, own, hasWorked }: Place): Promise<FinishedStage> {
  if (hasWorked) return { stage, own, ending: { kind: 'worked', patch: {} } };
  const base = own.base.commit;
  const before = (await readTip(execution.context, own)) ?? base;
  const bases = mapParts(await listParts(execution.context, own), part => part.base.commit);
  const ending = await runStage(execution, { record: own, stage, base, before, bases });
  if (ending.kind === 'worked') {
    await execution.task.changeStage(stage.name, ending.patch);
    execution.context.onStep('task', `worked.${stage.name}`);
  }
  return { stage, own, ending };
}
