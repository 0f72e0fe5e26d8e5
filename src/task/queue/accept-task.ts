import { mapIsolationModeToStrategy } from '../../domain/isolation/workspace-strategy.js';
import type { IsolationMode } from '../../domain/isolation.js';
import type { Stage, TaskPlan, TaskRecord } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import { digestSetup } from '../../operations/trust/trust.js';
import type { Repository } from '../../workspace/backend.js';
import { insertTask } from './insert-task.js';
import { newTask } from './new-task.js';

/** A task that another machine has planned. */
export interface PlannedTask extends Pick<TaskRecord, 'description' | 'issue' | 'agent' | 'head' | 'usage'> {
  readonly plan: Omit<TaskPlan, 'strict' | 'trust' | 'baseRef'>;
  readonly isolation: IsolationMode;
  readonly workspaceName: string;
  /** Where it starts. */
  readonly commit: string;
  /** As an earlier run left them. */
  readonly stages: readonly Stage[];
}

/**
 * Creates a task as another machine planned it. Without the requested isolation it fails. The setup commands of exactly
 * this commit are approved: the user has approved them on that machine.
 */
export async function acceptTask(
  context: Pick<Context, 'store' | 'git' | 'places' | 'environment' | 'loadConfig' | 'ids' | 'now'>,
  repository: Repository,
  planned: PlannedTask,
): Promise<TaskRecord> {
  const { description, issue, agent, isolation, commit, stages, head, usage, workspaceName } = planned;
  const settings = await applyTemplate(context, repository, undefined);
  const place = { ref: commit, commit, isSandboxed: isolation === 'full' };
  const trust = await digestSetup(context, repository, settings, place);
  const plan: TaskPlan = { ...planned.plan, strict: true, trust, baseRef: commit };
  const { cleanupOnComplete: cleanup, preserveOnFailure } = plan;
  return insertTask(context, repository, {
    ...newTask(context, repository, { description, agent, priority: 0, plan, ...(issue && { issue }) }),
    ...{ owner: null, heartbeatAt: null, workspaceName, head, usage },
    isolation: { requested: isolation, effective: null, reason: null },
    workspace: { strategy: mapIsolationModeToStrategy(isolation), cleanup, preserveOnFailure },
    stages: [...stages],
  });
}
