import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import type { PlannedFleet, TaskRecord } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import { detectBackend } from '../../operations/repository/locate-repository.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import type { Repository } from '../../workspace/backend.js';
import { taskWorkspaceName } from '../record/task-workspace-name.js';

interface FleetRequest {
  readonly fleet: Pick<PlannedFleet, 'address' | 'labels'>;
  readonly keep?: boolean | undefined;
}

/**
 * A new task as one of a fleet: with the commit that it starts from and the branch that it gets, because no workspace
 * here decides them. TASK_CANNOT_TRAVEL, AGENT_CANNOT_TRAVEL, FLEET_ADDRESS_INVALID.
 */
export async function planForFleet(
  context: Pick<Context, 'backends' | 'places' | 'environment' | 'loadConfig' | 'fleetTasks'>,
  repository: Repository,
  draft: TaskRecord,
  { fleet: { address: given, labels }, keep = false }: FleetRequest,
): Promise<TaskRecord> {
  const [problem] = [...findLocalParts(draft, keep), ...(await findLocalRepository(repository))];
  if (problem) throw carrelError('TASK_CANNOT_TRAVEL', problem);
  const fleetTasks = await context.fleetTasks();
  const { address, name } = fleetTasks.locate(given);
  await fleetTasks.requireTravels(draft.plan, { address, labels });
  const { base } = await context.backends.git.resolve(repository, { base: draft.plan.baseRef ?? undefined });
  const { branchPrefix } = await applyTemplate(context, repository, undefined);
  const workspaceName = taskWorkspaceName(draft);
  const branch = `${branchPrefix}${workspaceName}`;
  const plan = { ...draft.plan, baseRef: base.ref, branch, fleet: { address, labels } };
  return { ...draft, plan, workspaceName, base: base.commit, fleet: { name, run: null, host: null } };
}

interface Problem {
  readonly reason: string;
  readonly advice: string;
}

/** What a worker can't have, or what must happen here when the work is back. */
function findLocalParts({ plan, isolation, workspace }: TaskRecord, keep: boolean): Problem[] {
  const { repositories, branch, land, publish } = plan;
  const problems: (Problem | false)[] = [
    isolation.requested === 'shared' && {
      reason: 'isolation shared works in the directory of this repository',
      advice: 'use --isolation full or --isolation worktree',
    },
    workspace?.strategy === 'directory' && {
      reason: 'a plain copy has no commits that could come back',
      advice: 'use --isolation full or --isolation worktree',
    },
    repositories !== undefined && {
      reason: 'it works in several repositories',
      advice: 'run it on this machine: leave out --on',
    },
    keep && {
      reason: 'its workspace is on a worker, which removes it',
      advice: 'leave out --keep; its commits come back in any case',
    },
    branch !== undefined && {
      reason: 'it gets a new branch there',
      advice: 'leave out --branch',
    },
    land !== null && {
      reason: 'its work is landed on this machine',
      advice: 'leave out --land, and land it when it has succeeded: carrel land TASK',
    },
    publish !== null && {
      reason: 'its work is pushed from this machine',
      advice: 'leave out --push and --pull-request, and use: carrel task publish TASK',
    },
  ];
  return problems.filter(problem => problem !== false);
}

/** The commits of other repositories can't be sent with their history, or can't come back by a plain ref. */
async function findLocalRepository({ root, commonDir }: Repository): Promise<Problem[]> {
  const backend = await detectBackend(root);
  const advice = 'run it on this machine: leave out --on';
  if (backend !== 'git' || commonDir === null)
    return [{ reason: `its repository is one of ${backend}, not of git`, advice }];
  const shallow = await lstat(join(commonDir, 'shallow')).catch(ignoreMissing);
  if (!shallow) return [];
  const complete = 'get the whole history with: git fetch --unshallow';
  return [{ reason: 'its repository is a shallow clone without the whole history', advice: complete }];
}
