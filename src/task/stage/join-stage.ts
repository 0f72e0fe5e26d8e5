import type { Failure } from '../../domain/task/failure.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { aliasOf, listParts } from '../../operations/group/group-records.js';
import { readTip } from '../attempt/commit/branch-tip.js';
import { commitMessage } from '../attempt/commit/commit-message.js';
import { readPartCommits } from '../attempt/commit/commit-parts.js';
import { DONE, type Ending, type Execution, failed } from '../execution.js';
import { describeCommits, findHead, type PartCommits } from '../record/task-repositories.js';
import { joinWork } from './join-work.js';
import { succeedStage } from './succeed-stage.js';
import { findStageWorkspace } from './task-workspace.js';

export interface StageWork {
  readonly stage: WorkflowStage;
  /** The stage's own workspace with the work. */
  readonly own: WorkspaceRecord;
}

/** Joins the work of a parallel stage to the task's branch, and records that it has succeeded. */
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
    const { commit, commits } = outcome;
    await succeedStage(execution, stage, { commit, ...describeCommits(commits), warnings });
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
    message: `the work of ${stage.name} conflicts with other parallel stages in: ${files.join(', ')}`,
    hint: `merge ${own.branch ?? own.name} in ${workspace.path} by hand, then: carrel task retry ${id}`,
    output: null,
  };
}

export type Resumed =
  /** Everything was already in the task's branch; the stage has succeeded. */
  | { readonly kind: 'joined' }
  /** The workspace with the work to join; undefined when there is still work to do. */
  | { readonly kind: 'open'; readonly own: WorkspaceRecord | undefined };

/** The remaining step of a stage whose work was recorded as done, when an earlier run ended before or while joining it. */
export async function resumeJoin(
  execution: Execution,
  workspace: WorkspaceRecord,
  stage: WorkflowStage,
): Promise<Resumed> {
  const { context, task } = execution;
  const { commit, commits } = task.stage(stage.name);
  if (commit === null) return { kind: 'open', own: undefined };
  const own = await findStageWorkspace(execution, stage.name);
  const tip = own ? undefined : await readTip(context, workspace);
  const isJoined = tip !== undefined && (await areJoined(execution, workspace, { commit, commits }));
  if (!own && !isJoined) return { kind: 'open', own };
  const data = { agent: stage.agent };
  const patch = { status: 'running', startedAt: now(execution) } as const;
  await task.changeStage(stage.name, patch, { type: 'stage.started', data });
  if (own) return { kind: 'open', own };
  const joined = await readPartCommits(context, workspace, part => findHead(task.current(), part));
  await succeedStage(execution, stage, { commit: tip ?? commit, ...describeCommits(joined) });
  return { kind: 'joined' };
}

/** Whether the branch of the task contains the work of a stage, in every repository. */
async function areJoined(
  { context }: Execution,
  workspace: WorkspaceRecord,
  { commit, commits = {} }: { readonly commit: string; readonly commits?: PartCommits | undefined },
): Promise<boolean> {
  for (const part of await listParts(context, workspace)) {
    const own = part.id === workspace.id ? commit : commits[aliasOf(part)];
    const tip = await readTip(context, part);
    const place = { gitDir: part.commonDir as string };
    if (!own || tip === undefined) return false;
    if (!(await context.git.succeeds(['merge-base', '--is-ancestor', own, tip], place))) return false;
  }
  return true;
}

const now = ({ context }: Execution): string => new Date(context.now()).toISOString();
