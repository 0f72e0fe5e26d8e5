import type { TaskRecord } from '../../domain/task/task.js';
import { ACTIVE_STATUSES } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { stopTask } from '../record/stop-task.js';
import { isAbandonedTask } from '../record/task-owner.js';
import { recoverAbandonedTask } from './recover-abandoned-task.js';
import { retryTask } from './retry-task.js';

/**
 * Finds tasks whose process died or never took them, and reports or resumes them: called before every
 * command, one short read when there is nothing to do. A failure here must not block other commands.
 */
export async function recoverTasks(context: Context): Promise<void> {
  const tasks = await context.store.tasks.list({ statuses: ACTIVE_STATUSES });
  for (const task of tasks.filter(each => isAbandonedTask(each, context.now()))) {
    try {
      const recovered = await recoverAbandonedTask(context, task);
      // Undefined: another process was faster, and reports it.
      if (recovered) context.narrate(await describeOutcome(context, task, recovered));
    } catch (error) {
      context.narrate(`warning: cannot recover the interrupted task ${task.id} yet: ${explain(error)}`);
    }
  }
}

async function describeOutcome(context: Context, before: TaskRecord, task: TaskRecord): Promise<string> {
  const { id } = task;
  if (task.status === 'cancelled') return `the task ${id} is cancelled; its process was already gone`;
  if (before.owner === null)
    return `the task ${id} was never started, no process took it; start it with: carrel task retry ${id}`;
  const where = before.stages.find(stage => stage.status === 'running')?.name;
  const what = `the task ${id} was interrupted${where === undefined ? '' : ` in stage ${where}`}, its process is gone`;
  const { resumed, problem } = await resume(context, task);
  if (resumed)
    return `${what}; it is resumed in the background, follow it with: carrel task logs ${id} --follow`;
  return `${what}${problem && ` and it could not be resumed (${problem})`}; resume it with: carrel task retry ${id}`;
}

interface Resumption {
  readonly resumed: boolean;
  /** Empty when it was not configured to be resumed. */
  readonly problem: string;
}

/** A task whose process died this often is not resumed again. */
const MOST_INTERRUPTIONS = 3;

async function resume(context: Context, task: TaskRecord): Promise<Resumption> {
  try {
    // Another worker does it again.
    if (task.plan.submittedAs !== undefined) return { resumed: false, problem: '' };
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
