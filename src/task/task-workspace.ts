import { findPreset } from '../agent/presets.js';
import { carrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import type { Workspace, WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { requireReady } from '../operations/require-ready.js';
import { up } from '../operations/up.js';
import type { Execution } from './execution.js';
import { stageWorkspaceName } from './task-workspace-name.js';

/**
 * The workspace of the task: the one that an earlier run made, or a new one. Its name is in the record before it is made,
 * so that whoever comes after a crash finds it.
 */
export async function openTaskWorkspace(execution: Execution): Promise<WorkspaceRecord> {
  const { context, task, signal } = execution;
  const known = await findByName(context, task.current(), task.current().workspaceName);
  if (known) return adopt(execution, known);
  const { plan, isolation, repository, workspaceName } = task.current();
  const made = await up(context, {
    ...requestOf(task.current()),
    name: workspaceName ?? undefined,
    base: plan.baseRef ?? undefined,
    isolation: isolation.requested,
    strict: plan.strict,
    repository,
    signal,
  });
  return adopt(execution, await requireRecord(context, made));
}

/** The workspace of a stage that runs beside others: from where the task's branch is now, and no less isolated. */
export async function openStageWorkspace(
  execution: Execution,
  beside: WorkspaceRecord,
  stage: string,
  base: string,
): Promise<WorkspaceRecord> {
  const { context, task, signal } = execution;
  const name = task.stage(stage).workspaceName ?? stageWorkspaceName(beside.name, stage);
  requireOwnName(task.current(), stage, name);
  await task.changeStage(stage, { workspaceName: name });
  const known = await findByName(context, task.current(), name);
  if (known) return known;
  const made = await up(context, {
    ...requestOf(task.current()),
    name,
    base,
    isolation: beside.isolation.effective,
    strict: true,
    repository: task.current().repository,
    signal,
  });
  return requireRecord(context, made);
}

/** The workspace that a stage had in an earlier run, when it is still there. */
export const findStageWorkspace = (
  { context, task }: Execution,
  stage: string,
): Promise<WorkspaceRecord | undefined> =>
  findByName(context, task.current(), task.stage(stage).workspaceName);

/** Names are made so that this can't be; where it were, two agents would write into each other's work. */
function requireOwnName({ id, stages }: TaskRecord, stage: string, name: string): void {
  const other = stages.find(each => each.name !== stage && each.workspaceName === name);
  if (!other) return;
  const problem = `the stages ${other.name} and ${stage} of ${id} would share the workspace ${name}`;
  throw carrelError('INTERNAL', { problem });
}

/** What agents need in a sandbox: to reach their models. The keys for those go to each agent's own command only. */
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

async function findByName(
  context: Context,
  { repositoryId }: TaskRecord,
  name: string | null,
): Promise<WorkspaceRecord | undefined> {
  if (name === null) return undefined;
  const records = await context.store.workspaces.list({ repositoryId });
  const found = records.find(record => record.name === name);
  if (found) await requireReady(context, found);
  return found;
}

async function adopt({ context, task }: Execution, record: WorkspaceRecord): Promise<WorkspaceRecord> {
  const { effective, reason } = record.isolation;
  if (task.current().workspaceId === record.id) return record;
  const warnings = [...new Set([...task.current().warnings, ...record.warnings])];
  await task.change(
    ({ isolation }) => ({
      workspaceId: record.id,
      workspaceName: record.name,
      worktreePath: record.path,
      workspaceKept: true,
      branch: record.branch,
      base: record.base.commit,
      isolation: { ...isolation, effective, reason },
      warnings,
    }),
    { type: 'task.workspace-ready', data: { name: record.name, path: record.path, effective, reason } },
  );
  context.onStep('task', 'workspace-ready');
  return record;
}

async function requireRecord(context: Context, { id }: Workspace): Promise<WorkspaceRecord> {
  return (await context.store.workspaces.find(id)) as WorkspaceRecord;
}
