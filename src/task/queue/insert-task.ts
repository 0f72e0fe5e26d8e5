import type { TaskRecord } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import type { Repository } from '../../workspace/backend.js';
import { taskEvent } from '../record/task-event.js';
import { taskWorkspaceName } from '../record/task-workspace-name.js';
import { withReservedWorkspace } from './reserve-workspace.js';

/**
 * Records a new task, with the name and the path of its workspace, which no other workspace gets from now on. A task
 * of a fleet has no workspace on this machine.
 */
export function insertTask(
  context: Pick<Context, 'store' | 'places' | 'environment' | 'loadConfig'>,
  repository: Repository,
  draft: TaskRecord,
): Promise<TaskRecord> {
  const { description, workflow, workspace } = draft;
  const save = async (task: TaskRecord): Promise<TaskRecord> => {
    await context.store.tasks.insert(task, [taskEvent(task, 'task.created', { description, workflow })]);
    return task;
  };
  if (draft.plan.fleet) return save(draft);
  const name = draft.workspaceName ?? taskWorkspaceName(draft);
  return withReservedWorkspace(context, repository, { name, workspace }, planned =>
    save({ ...draft, ...planned }),
  );
}
