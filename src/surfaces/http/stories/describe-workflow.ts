import type { DeveloperWorkflow, WorkflowStatus } from '../../../domain/story/developer-workflow.js';
import type { TaskRecord, TaskStatus } from '../../../domain/task/task.js';
import { toTask } from '../../../domain/task/task-state.js';

const statusWords: Readonly<Record<TaskStatus, WorkflowStatus>> = {
  waiting: 'pending',
  running: 'running',
  validating: 'running',
  // Not over, and its worktree is needed; `task.status` has the reason.
  'waiting-for-approval': 'running',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
};

/** A task in the terms of /api/developer. The caller looks up whether its workspace still exists. */
export function describeWorkflow(record: TaskRecord, isWorktreeThere: boolean): DeveloperWorkflow {
  return {
    id: record.id,
    status: statusWords[record.status],
    targetRepository: record.plan.request?.targetRepository ?? record.repository,
    worktreePath: record.worktreePath,
    worktreeId: record.workspaceId,
    worktreeKept: isWorktreeThere,
    task: { ...toTask(record), workspaceKept: isWorktreeThere },
  };
}
