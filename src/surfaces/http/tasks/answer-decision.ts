import type { Task } from '../../../domain/task/task.js';
import type { ApproveTaskRequest } from '../../../task/approval/approve.operation.js';
import { approveStages } from '../../../task/approval/approve-stages.js';
import type { RejectTaskRequest } from '../../../task/approval/reject.operation.js';
import { rejectStages } from '../../../task/approval/reject-stages.js';
import type { ApiContext } from '../api.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';
import { beginTask } from '../stories/accept-task.js';

export const answerApprove =
  (server: ServerContext): Answer =>
  async ({ input }, c) => {
    const { task: id, ...decision } = input as ApproveTaskRequest;
    return answer(server, c, await approveStages(server.app, { id, ...decision, taker: 'another-process' }));
  };

export const answerReject =
  (server: ServerContext): Answer =>
  async ({ input }, c) => {
    const { task: id, ...decision } = input as RejectTaskRequest;
    return answer(server, c, await rejectStages(server.app, { id, ...decision, taker: 'another-process' }));
  };

/** A task that continues runs in its own process. */
async function answer(server: ServerContext, c: ApiContext, task: Task): Promise<Response> {
  if (task.status === 'waiting') await beginTask(server, task.id);
  return c.json(task, 202, { location: `/api/tasks/${task.id}` });
}
