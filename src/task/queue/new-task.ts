import { NO_USAGE } from '../../domain/agent/add-usage.js';
import { createId } from '../../domain/id.js';
import type { Stage, TaskRecord } from '../../domain/task/task.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type { Context } from '../../operations/context.js';
import type { Repository } from '../../workspace/backend.js';

type Wanted = Pick<TaskRecord, 'description' | 'issue' | 'agent' | 'priority' | 'plan'>;

/** A new task record, before any work. */
export function newTask(
  context: Pick<Context, 'ids' | 'now'>,
  repository: Repository,
  wanted: Wanted,
): Omit<TaskRecord, 'isolation' | 'owner' | 'heartbeatAt'> {
  const id = createId('task', context.ids);
  const { workflow } = wanted.plan;
  return {
    ...wanted,
    id,
    repository: repository.root,
    repositoryId: repository.id,
    workflow: workflow.name,
    status: 'waiting',
    workspaceId: null,
    workspaceName: null,
    worktreePath: null,
    workspaceKept: false,
    branch: null,
    base: null,
    head: null,
    stages: workflow.stages.map(newStage),
    validation: [],
    usage: NO_USAGE,
    runs: [],
    landed: null,
    published: null,
    warnings: [],
    createdAt: new Date(context.now()).toISOString(),
    endedAt: null,
    cancelRequestedAt: null,
  };
}

const newStage = ({ name, agent }: WorkflowStage): Stage => ({
  name,
  agent,
  status: 'pending',
  startedAt: null,
  endedAt: null,
  attempts: 0,
  exitCode: null,
  outputs: [],
  usage: NO_USAGE,
  changed: null,
  commit: null,
  message: null,
  workspaceName: null,
  warnings: [],
});
