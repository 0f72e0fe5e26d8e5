import type { Failure } from '../domain/failure.js';
import type { WorkflowStage } from '../domain/workflow.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { readTip } from './branch-tip.js';
import { commitMessage } from './commit-message.js';
import { DONE, type Ending, type Execution, failed } from './execution.js';
import { joinWork } from './join-work.js';
import { succeedStage } from './succeed-stage.js';
import { findStageWorkspace } from './task-workspace.js';

export interface StageWork {
  readonly stage: WorkflowStage;
  /** The workspace of its own that has it. */
  readonly own: WorkspaceRecord;
}

/** Joins the work of a stage that ran beside others to the task's branch, and records that it has succeeded. */
export async function joinStage(
  execution: Execution,
  workspace: WorkspaceRecord,
  { stage, own }: StageWork,
): Promise<Ending> {
  const { context, task, signal } = execution;
  const { name, agent } = stage;
  const message = commitMessage({
    task: task.current(),
    stage: name,
    agent,
    words: task.stage(name).message,
  });
  const outcome = await joinWork(context, workspace, own, { message, signal });
  context.onStep('task', `joined.${name}`);
  if (outcome.kind === 'joined') {
    const warnings = [...task.stage(name).warnings, ...outcome.warnings];
    await succeedStage(execution, stage, { commit: outcome.commit, warnings });
    return DONE;
  }
  const failure =
    outcome.kind === 'conflict'
      ? describeConflict(execution, workspace, { stage, own }, outcome.files)
      : { stage: name, output: null, ...outcome.failure };
  const patch = { status: 'failed', endedAt: now(execution), failure } as const;
  const data = { kind: failure.kind, message: failure.message };
  await task.changeStage(name, patch, { type: 'stage.failed', data });
  return failed(failure);
}

function describeConflict(
  { task }: Execution,
  workspace: WorkspaceRecord,
  { stage, own }: StageWork,
  files: readonly string[],
): Failure {
  const { id } = task.current();
  return {
    kind: 'merge-conflict',
    stage: stage.name,
    message: `the work of ${stage.name} conflicts with that of stages beside it in: ${files.join(', ')}`,
    hint: `merge ${own.branch ?? own.name} in ${workspace.path} by hand, then: carrel task retry ${id}`,
    output: null,
  };
}

export type Resumed =
  /** All of it was in the task's branch already; the stage has succeeded. */
  | { readonly kind: 'joined' }
  /** The workspace with the work that is to be joined; undefined when there is work to be done. */
  | { readonly kind: 'open'; readonly own: WorkspaceRecord | undefined };

/** What is left of a stage whose work was done, and recorded so, when an earlier run ended before or while joining it. */
export async function resumeJoin(
  execution: Execution,
  workspace: WorkspaceRecord,
  stage: WorkflowStage,
): Promise<Resumed> {
  const { context, task } = execution;
  const { commit } = task.stage(stage.name);
  if (commit === null) return { kind: 'open', own: undefined };
  const own = await findStageWorkspace(execution, stage.name);
  const tip = own ? undefined : await readTip(context, workspace);
  const place = { gitDir: workspace.commonDir as string };
  const isJoined =
    tip !== undefined && (await context.git.succeeds(['merge-base', '--is-ancestor', commit, tip], place));
  if (!own && !isJoined) return { kind: 'open', own };
  const data = { agent: stage.agent };
  const patch = { status: 'running', startedAt: now(execution) } as const;
  await task.changeStage(stage.name, patch, { type: 'stage.started', data });
  if (own) return { kind: 'open', own };
  await succeedStage(execution, stage, { commit: tip ?? commit });
  return { kind: 'joined' };
}

const now = ({ context }: Execution): string => new Date(context.now()).toISOString();
