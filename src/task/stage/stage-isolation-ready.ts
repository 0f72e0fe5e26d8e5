import { carrelError } from '../../domain/error/error.js';
import { findStrongerIsolation } from '../../domain/workflow/stage-isolation.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { locateRepository } from '../../operations/repository/locate-repository.js';
import { resolveIsolation } from '../../operations/settings/resolve-isolation.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import type { Execution } from '../execution.js';
import { canRunInParallel } from './join-work.js';

/**
 * Reports before the first stage that a later one cannot have the isolation that it requests, not after an hour of work.
 * Such a stage never runs with less. ISOLATION_UNAVAILABLE.
 */
export async function requireStageIsolation(
  { context, task }: Execution,
  workspace: WorkspaceRecord,
): Promise<void> {
  const { plan, stages, repository } = task.current();
  const { effective } = workspace.isolation;
  for (const stage of plan.workflow.stages) {
    const isolation = findStrongerIsolation(stage, effective);
    const isDone = stages.some(({ name, status }) => name === stage.name && status === 'succeeded');
    if (isolation === undefined || isDone) continue;
    if (!canRunInParallel(workspace)) {
      const reason = `the stage ${stage.name} needs its own workspace, whose work cannot be joined to a ${workspace.backend} workspace with isolation ${effective}`;
      throw carrelError('ISOLATION_UNAVAILABLE', { requested: isolation, reason });
    }
    const settings = await applyTemplate(context, await locateRepository(context, repository), undefined);
    await resolveIsolation(context, { isolation, askedBy: 'flag', strict: true }, settings, 'git');
  }
}
