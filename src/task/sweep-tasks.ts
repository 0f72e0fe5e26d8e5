import type { TaskRecord } from '../domain/task.js';
import { ACTIVE_STATUSES } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { retryTask } from './retry-task.js';
import { settleForsaken } from './settle-forsaken.js';
import { stopTask } from './stop-task.js';
import { isForsaken } from './task-owner.js';

/**
 * Finds tasks whose process died, or did not come as promised, and tells of them or has them resumed: called before every
 * command, one short read when there is nothing to do. What can't be settled now must not stop anybody else.
 */
export async function sweepTasks(context: Context): Promise<void> {
  const tasks = await context.store.tasks.list({ statuses: ACTIVE_STATUSES });
  for (const task of tasks.filter(each => isForsaken(each, context.now()))) {
    try {
      const settled = await settleForsaken(context, task);
      // Undefined: another process was faster, and tells of it.
      if (settled) context.narrate(await describeOutcome(context, task, settled));
    } catch (error) {
      context.narrate(`warning: the interrupted task ${task.id} could not be settled yet: ${explain(error)}`);
    }
  }
}

async function describeOutcome(context: Context, before: TaskRecord, task: TaskRecord): Promise<string> {
  const { id } = task;
  if (task.status === 'cancelled') return `the task ${id} is cancelled; its process was gone already`;
  if (before.owner === null)
    return `the task ${id} was never begun, no process took it; begin it with: carrel task retry ${id}`;
  const where = before.stages.find(stage => stage.status === 'running')?.name;
  const what = `the task ${id} was interrupted${where === undefined ? '' : ` in stage ${where}`}, its process is gone`;
  const { resumed, problem } = await resume(context, task);
  if (resumed)
    return `${what}; it is resumed in the background, follow it with: carrel task logs ${id} --follow`;
  return `${what}${problem && ` and it could not be resumed (${problem})`}; go on with: carrel task retry ${id}`;
}

interface Resumption {
  readonly resumed: boolean;
  /** Empty when nobody wanted it to be resumed. */
  readonly problem: string;
}

/** A task that took its process down this often would do it again. */
const MOST_INTERRUPTIONS = 3;

async function resume(context: Context, task: TaskRecord): Promise<Resumption> {
  try {
    const { config } = await context.loadConfig(null);
    if (config.tasks.onInterruption !== 'resume') return { resumed: false, problem: '' };
    const interruptions = task.runs.filter(run => run.outcome === 'interrupted').length;
    if (interruptions >= MOST_INTERRUPTIONS)
      return { resumed: false, problem: `interrupted ${interruptions} times` };
    await retryTask(context, { id: task.id, taker: 'another-process' });
    if (context.startBackground(['task', 'execute', task.id], { priority: 'normal' }))
      return { resumed: true, problem: '' };
    const left = await context.store.tasks.find(task.id);
    if (left?.status === 'waiting' && left.owner === null) await stopTask(context, left, 'interrupted');
    return { resumed: false, problem: 'no process could be started' };
  } catch (error) {
    return { resumed: false, problem: explain(error) };
  }
}

const explain = (error: unknown): string => (error instanceof Error ? error.message : String(error));
