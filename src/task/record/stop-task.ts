import type { TaskRecord } from '../../domain/task/task.js';
import { endRun, stopStages } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { taskEvent } from './task-event.js';

/**
 * Ends a task without an owner, with its run and its stages. Undefined when it has changed since it was read:
 * another process was faster.
 */
export function stopTask(
  context: Pick<Context, 'now' | 'store'>,
  task: TaskRecord,
  to: 'cancelled' | 'interrupted',
): Promise<TaskRecord | undefined> {
  const at = new Date(context.now()).toISOString();
  const patch = {
    status: to,
    owner: null,
    heartbeatAt: null,
    cancelRequestedAt: null,
    endedAt: at,
    runs: endRun(task.runs, to, at),
    stages: stopStages(task.stages, to, at),
  };
  const running = task.stages.filter(stage => stage.status === 'running');
  const events = [
    ...running.map(({ name }) => taskEvent(task, `stage.${to}`, { stage: name })),
    taskEvent(task, `task.${to}`),
  ];
  const expected = { statuses: [task.status], owner: task.owner };
  return context.store.tasks.update(task.id, expected, patch, events);
}
