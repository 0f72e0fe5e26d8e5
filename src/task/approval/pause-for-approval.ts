import type { TaskRecord } from '../../domain/task/task.js';
import { endRun, waitsForApproval } from '../../domain/task/task-state.js';
import type { Execution } from '../execution.js';

/**
 * Ends the run of a task whose next step needs the approval of the user. No process owns it while it waits, so it uses no
 * place in the queue and survives a reboot; its workspaces stay.
 */
export async function pauseForApproval({ context, task, tell }: Execution): Promise<TaskRecord> {
  const { id } = task.current();
  const stages = task
    .current()
    .stages.filter(waitsForApproval)
    .map(({ name }) => name);
  // Before the change: a program that waits for it may read the log at once.
  const text = `waiting for approval of ${stages.join(', ')}: carrel task approve ${id}`;
  tell({ stage: null, attempt: 0, stream: 'carrel', text });
  const paused = await task.change(
    ({ runs }) => ({
      status: 'waiting-for-approval',
      owner: null,
      heartbeatAt: null,
      runs: endRun(runs, 'waiting-for-approval', new Date(context.now()).toISOString()),
    }),
    { type: 'task.waiting-for-approval', data: { stages } },
  );
  context.onStep('task', 'paused');
  return paused;
}
