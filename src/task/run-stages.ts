import { carrelError } from '../domain/error.js';
import type { Failure } from '../domain/failure.js';
import { findReady } from '../domain/stage-order.js';
import type { Stage } from '../domain/task.js';
import type { WorkflowStage } from '../domain/workflow.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { commitMessage } from './commit-message.js';
import { DONE, type Ending, type Execution, failed } from './execution.js';
import { canRunBeside, joinWork } from './join-work.js';
import { runStage, type StageEnding } from './run-stage.js';
import { openStageWorkspace } from './task-workspace.js';

/** Works through the stages that have not succeeded yet, in order of their dependencies. */
export async function runStages(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const { task } = execution;
  for (;;) {
    const { plan, stages } = task.current();
    const done = new Set(stages.filter(stage => stage.status === 'succeeded').map(stage => stage.name));
    const ready = findReady(plan.workflow.stages, done).map(name => requireStage(execution, name));
    if (ready.length === 0) return DONE;
    const ending = runsBeside(execution, workspace, ready)
      ? await runBeside(execution, workspace, ready)
      : await runAlone(execution, workspace, ready[0] as WorkflowStage);
    if (ending.kind !== 'done') return ending;
  }
}

/** Also for a stage that had a workspace of its own when an earlier run ended: its work is there. */
function runsBeside(
  { task }: Execution,
  workspace: WorkspaceRecord,
  ready: readonly WorkflowStage[],
): boolean {
  const hasOwn = ready.some(({ name }) => task.stage(name).workspaceName !== null);
  return canRunBeside(workspace) && (ready.length > 1 || hasOwn);
}

async function runAlone(
  execution: Execution,
  workspace: WorkspaceRecord,
  stage: WorkflowStage,
): Promise<Ending> {
  const ending = await runStage(execution, workspace, stage, tipOf(execution, workspace));
  if (ending.kind !== 'worked') return ending;
  await succeed(execution, stage, ending.patch);
  return DONE;
}

/**
 * Each in a workspace of its own, then joined in the order of the workflow, so that the result does not depend on who was
 * first. What succeeded is joined and kept also when another failed.
 */
async function runBeside(
  execution: Execution,
  workspace: WorkspaceRecord,
  ready: readonly WorkflowStage[],
): Promise<Ending> {
  const desks: { stage: WorkflowStage; own: WorkspaceRecord }[] = [];
  for (const stage of ready) {
    const base = tipOf(execution, workspace) ?? 'HEAD';
    desks.push({ stage, own: await openStageWorkspace(execution, workspace, stage.name, base) });
  }
  const endings = await workTogether(execution, desks);
  const joined: Ending[] = [];
  for (const { stage, own, ending } of endings)
    joined.push(await joinStage(execution, workspace, { stage, own, ending }));
  return (
    joined.find(ending => ending.kind === 'cancelled') ??
    joined.find(ending => ending.kind === 'failed') ??
    DONE
  );
}

/** When one of them breaks down, not fails, the others are ended too and waited for: nothing runs on unseen. */
async function workTogether(
  execution: Execution,
  desks: readonly { readonly stage: WorkflowStage; readonly own: WorkspaceRecord }[],
): Promise<Worked[]> {
  const breakdown = new AbortController();
  const signal = AbortSignal.any([execution.signal, breakdown.signal]);
  const outcomes = await Promise.allSettled(
    desks.map(async ({ stage, own }) => {
      try {
        const ending = await runStage({ ...execution, signal }, own, stage, own.base.commit);
        return { stage, own, ending };
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

interface Worked {
  readonly stage: WorkflowStage;
  readonly own: WorkspaceRecord;
  readonly ending: StageEnding;
}

async function joinStage(
  execution: Execution,
  workspace: WorkspaceRecord,
  { stage, own, ending }: Worked,
): Promise<Ending> {
  if (ending.kind !== 'worked') return ending;
  const { context, task, signal } = execution;
  const message = commitMessage({
    task: task.current(),
    stage: stage.name,
    agent: stage.agent,
    words: ending.patch.message ?? null,
  });
  const outcome = await joinWork(context, workspace, own, { message, signal });
  context.onStep('task', `joined.${stage.name}`);
  if (outcome.kind === 'joined') {
    await succeed(execution, stage, { ...ending.patch, commit: outcome.commit });
    return DONE;
  }
  const failure =
    outcome.kind === 'conflict'
      ? describeConflict(stage, own, workspace, outcome.files)
      : { stage: stage.name, output: null, ...outcome.failure };
  const patch = { status: 'failed', endedAt: now(execution), failure } as const;
  const data = { kind: failure.kind, message: failure.message };
  await task.changeStage(stage.name, { ...ending.patch, ...patch }, { type: 'stage.failed', data });
  return failed(failure);
}

function describeConflict(
  stage: WorkflowStage,
  own: WorkspaceRecord,
  workspace: WorkspaceRecord,
  files: readonly string[],
): Failure {
  return {
    kind: 'merge-conflict',
    stage: stage.name,
    message: `the work of ${stage.name} conflicts with that of stages beside it in: ${files.join(', ')}`,
    hint: `merge ${own.branch ?? own.name} in ${workspace.path} by hand, then: carrel land ${workspace.name}`,
    output: null,
  };
}

async function succeed(execution: Execution, { name }: WorkflowStage, patch: Partial<Stage>): Promise<void> {
  const { context, task, tell } = execution;
  const done = { ...patch, status: 'succeeded', endedAt: now(execution) } as const;
  const { commit, changed, warnings } = await task.changeStage(name, done, {
    type: 'stage.succeeded',
    data: { commit: patch.commit ?? null, changed: patch.changed ?? null },
  });
  await task.change({ head: commit ?? task.current().head });
  context.onStep('task', `stage-ended.${name}`);
  const text = changed ? 'succeeded' : 'succeeded without a change';
  tell({ stage: name, attempt: 0, stream: 'carrel', text });
  for (const warning of warnings)
    tell({ stage: name, attempt: 0, stream: 'carrel', text: `warning: ${warning}` });
}

/** Where the task's branch is, as far as this task has moved it. */
const tipOf = ({ task }: Execution, workspace: WorkspaceRecord): string | null =>
  task.current().head ?? workspace.base.commit;

const now = ({ context }: Execution): string => new Date(context.now()).toISOString();

function requireStage({ task }: Execution, name: string): WorkflowStage {
  const stage = task.current().plan.workflow.stages.find(each => each.name === name);
  if (!stage) throw carrelError('INTERNAL', { problem: `the workflow has no stage ${name}` });
  return stage;
}
