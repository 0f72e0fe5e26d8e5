import { findPreset } from '../../agent/presets.js';
import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceStrategy } from '../../domain/isolation/workspace-config.js';
import { mapIsolationModeToStrategy, modeOfStrategy } from '../../domain/isolation/workspace-strategy.js';
import type { IsolationMode } from '../../domain/isolation.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { findStrongerIsolation } from '../../domain/workflow/stage-isolation.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type { Workspace, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import type { PartInput, UpInput } from '../../operations/creation/plan-up.js';
import { listParts } from '../../operations/group/group-records.js';
import { requireReady } from '../../operations/guard/require-ready.js';
import { up } from '../../operations/workspace/up.js';
import { readPartCommits } from '../attempt/commit/commit-parts.js';
import type { Execution } from '../execution.js';
import { findHead, withParts } from '../record/task-repositories.js';
import { stageWorkspaceName } from '../record/task-workspace-name.js';

/**
 * The workspace of the task: the one of an earlier run, or a new one. Its name and path are
 * reserved when the task is accepted, so that both are known before it exists, and after a crash.
 */
export async function openTaskWorkspace(execution: Execution): Promise<WorkspaceRecord> {
  const { context, task, signal } = execution;
  const known = await findOwn(context, task.current());
  if (known) return adopt(execution, known);
  const { id, plan, isolation, repository, workspaceName, worktreePath } = task.current();
  const made = await up(context, {
    ...requestOf(task.current()),
    name: workspaceName ?? undefined,
    base: plan.baseRef ?? undefined,
    branch: plan.branch,
    isolation: isolation.requested,
    strategy: strategyOf(task.current()),
    askedBy: plan.askedBy ?? 'default',
    strict: plan.strict,
    repository,
    // Null in tasks of earlier versions.
    ...(worktreePath !== null && { reserved: { taskId: id, path: worktreePath } }),
    parts: plan.repositories?.map(({ base, trust, ...each }) => ({
      ...each,
      base: base ?? undefined,
      trust: trust ?? false,
    })),
    signal,
  });
  return adopt(execution, await requireRecord(context, made));
}

/** Every task with `full` has the strategy container; an engine is preferred only where the user chose that word. */
function strategyOf({ plan, workspace }: TaskRecord): UpInput['strategy'] {
  if (plan.prefersContainer) return 'container';
  return workspace?.strategy === 'directory' ? 'directory' : undefined;
}

/** The workspace of a stage that runs in parallel or with stronger isolation: based on the task's branch, with the same isolation or more. */
export async function openStageWorkspace(
  execution: Execution,
  beside: WorkspaceRecord,
  stage: WorkflowStage,
  base: string,
): Promise<WorkspaceRecord> {
  const { context, task, signal } = execution;
  const name = task.stage(stage.name).workspaceName ?? stageWorkspaceName(beside.name, stage.name);
  requireOwnName(task.current(), stage.name, name);
  await task.changeStage(stage.name, { workspaceName: name });
  const known = await findByName(context, task.current(), name);
  if (known) return known;
  const made = await up(context, {
    ...requestOf(task.current()),
    name,
    base,
    ownWorkOf: task.current().base ?? undefined,
    isolation: findStrongerIsolation(stage, beside.isolation.effective) ?? beside.isolation.effective,
    strict: true,
    repository: task.current().repository,
    parts: await listStageParts(execution, beside),
    signal,
  });
  return requireRecord(context, made);
}

/** Each starts where the task's branch is in that repository. */
async function listStageParts(
  { context, task }: Execution,
  beside: WorkspaceRecord,
): Promise<PartInput[] | undefined> {
  const { plan, repositories } = task.current();
  const commits = await readPartCommits(context, beside, part => findHead(task.current(), part));
  return plan.repositories?.map(({ alias, path, trust }) => ({
    ...{ alias, path, trust: trust ?? false },
    base: commits[alias] ?? undefined,
    ownWorkOf: repositories?.find(each => each.alias === alias)?.base ?? undefined,
  }));
}

/** The workspace that a stage had in an earlier run, when it is still there. */
export const findStageWorkspace = (
  { context, task }: Execution,
  stage: string,
): Promise<WorkspaceRecord | undefined> =>
  findByName(context, task.current(), task.stage(stage).workspaceName);

/** Names are unique by construction; otherwise two agents would overwrite each other's work. */
function requireOwnName({ id, stages }: TaskRecord, stage: string, name: string): void {
  const other = stages.find(each => each.name !== stage && each.workspaceName === name);
  if (!other) return;
  const problem = `the stages ${other.name} and ${stage} of ${id} would share the workspace ${name}`;
  throw carrelError('INTERNAL', { problem });
}

/** What agents need in a sandbox: to reach their models. Their keys go only to each agent's own command. */
function requestOf({ plan }: TaskRecord) {
  const agents = Object.values(plan.agents);
  const presets = agents.flatMap(({ program }) =>
    program.kind === 'preset' ? [findPreset(program.preset)] : [],
  );
  return {
    trust: plan.trust ?? false,
    sandbox: {
      allow: [...presets.flatMap(preset => preset.hosts), ...agents.flatMap(agent => agent.hosts)],
    },
  };
}

/** A task of an earlier version knows its workspace only by the name until it has recorded it. */
async function findOwn(
  context: Pick<Context, 'store' | 'backends'>,
  task: TaskRecord,
): Promise<WorkspaceRecord | undefined> {
  const { id, workspaceId, workspaceName, worktreePath } = task;
  const found = await findByName(context, task, workspaceName);
  const isOwn = found?.id === workspaceId || found?.taskId === id || worktreePath === null;
  return isOwn ? found : undefined;
}

async function findByName(
  context: Pick<Context, 'store' | 'backends'>,
  { repositoryId }: TaskRecord,
  name: string | null,
): Promise<WorkspaceRecord | undefined> {
  if (name === null) return undefined;
  const records = await context.store.workspaces.list({ repositoryId });
  const found = records.find(record => record.name === name);
  for (const part of found ? await listParts(context, found) : []) await requireReady(context, part);
  return found;
}

async function adopt({ context, task, tell }: Execution, record: WorkspaceRecord): Promise<WorkspaceRecord> {
  const { effective, reason } = record.isolation;
  if (task.current().workspaceId === record.id) return record;
  const parts = await listParts(context, record);
  const found = parts.flatMap(part => part.warnings);
  const warnings = [...new Set([...task.current().warnings, ...found])];
  await task.change(
    current => ({
      workspaceId: record.id,
      workspaceName: record.name,
      worktreePath: record.path,
      workspaceKept: true,
      branch: record.branch,
      base: record.base.commit,
      isolation: { ...current.isolation, effective, reason },
      ...withParts(current, parts),
      warnings,
    }),
    { type: 'task.workspace-ready', data: { name: record.name, path: record.path, effective, reason } },
  );
  const strategy = strategyInEffect(task.current().workspace?.strategy, effective);
  const text = `Created ${strategy} workspace at ${record.path}`;
  tell({ stage: null, attempt: 0, stream: 'carrel', text });
  context.onStep('task', 'workspace-ready');
  return record;
}

/** A task whose sandbox was not available has another workspace than it requested. */
const strategyInEffect = (wanted: WorkspaceStrategy | undefined, effective: IsolationMode) =>
  wanted !== undefined && modeOfStrategy(wanted) === effective
    ? wanted
    : mapIsolationModeToStrategy(effective);

async function requireRecord(context: Pick<Context, 'store'>, { id }: Workspace): Promise<WorkspaceRecord> {
  return (await context.store.workspaces.find(id)) as WorkspaceRecord;
}
