import type { DeveloperWorkflow, WorkflowStatus } from '../../domain/developer-workflow.js';
import type { TaskRecord, TaskStatus } from '../../domain/task.js';
import { toTask } from '../../domain/task-state.js';

const statusWords: Readonly<Record<TaskStatus, WorkflowStatus>> = {
  waiting: 'pending',
  running: 'running',
  validating: 'running',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
};

/** A task in the words of /api/developer. Whether its workspace is still there is for the caller to look up. */
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
