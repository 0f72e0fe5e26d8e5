import type { WorkflowStage } from '../domain/workflow.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { readTip } from './branch-tip.js';
import { DONE, type Ending, type Execution, failed } from './execution.js';
import { explainStart } from './explain-start.js';
import { joinStage, resumeJoin } from './join-stage.js';
import { runStage, type StageEnding } from './run-stage.js';
import { settleFound } from './settle-found.js';
import { openStageWorkspace } from './task-workspace.js';

/**
 * Each in a workspace of its own, then joined in the order of the workflow, so that the result does not depend on who was
 * first. What succeeded is joined and kept also when another failed. What has done its work in an earlier run is only
 * joined.
 */
export async function runBeside(
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
  for (const { stage, own, ending } of await workTogether(execution, places))
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
    const own = resumed.own ?? (await openStageWorkspace(execution, workspace, stage.name, base));
    await settleFound(execution, own, stage);
    return { kind: 'place', stage, own, hasWorked: resumed.own !== undefined };
  } catch (error) {
    if (execution.signal.aborted) throw error;
    return failed(explainStart(error, undefined, stage.name).failure);
  }
}

interface Worked {
  readonly stage: WorkflowStage;
  readonly own: WorkspaceRecord;
  readonly ending: StageEnding;
}

/** When one of them breaks down, not fails, the others are ended too and waited for: nothing runs on unseen. */
async function workTogether(execution: Execution, places: readonly Place[]): Promise<Worked[]> {
  const breakdown = new AbortController();
  const signal = AbortSignal.any([execution.signal, breakdown.signal]);
  const outcomes = await Promise.allSettled(
    places.map(async place => {
      try {
        return await workBeside({ ...execution, signal }, place);
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

/** That its work is done is recorded before it is joined: whoever goes on after a crash does not do it again. */
async function workBeside(execution: Execution, { stage, own, hasWorked }: Place): Promise<Worked> {
  if (hasWorked) return { stage, own, ending: { kind: 'worked', patch: {} } };
  const base = own.base.commit;
  const before = (await readTip(execution.context, own)) ?? base;
  const ending = await runStage(execution, { record: own, stage, base, before });
  if (ending.kind === 'worked') {
    await execution.task.changeStage(stage.name, ending.patch);
    execution.context.onStep('task', `worked.${stage.name}`);
  }
  return { stage, own, ending };
}
