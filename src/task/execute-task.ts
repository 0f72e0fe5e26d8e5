import { isCarrelError } from '../domain/error.js';
import type { Failure } from '../domain/failure.js';
import { isSameProcess } from '../domain/process-identity.js';
import type { Task, TaskRecord } from '../domain/task.js';
import { isActive, toTask } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { createBudget } from './budget.js';
import { startDeadline } from './deadline.js';
import { deliverWork } from './deliver-work.js';
import { endTask } from './end-task.js';
import { CANCELLED, type Ending, type Execution, failed } from './execution.js';
import { failureKind } from './failure-kind.js';
import { findTask } from './find-task.js';
import { finishWork } from './finish-work.js';
import { holdTask } from './held-task.js';
import { keepAlive } from './keep-alive.js';
import { safely, type TaskObserver } from './observer.js';
import { requireAgentsReady } from './require-agents-ready.js';
import { runStages } from './run-stages.js';
import { stopTask } from './stop-task.js';
import { takeTurn } from './take-turn.js';
import { openTaskLog } from './task-log.js';
import { taskPlace } from './task-place.js';
import { openTaskWorkspace } from './task-workspace.js';
import { validateOrMend } from './validate-or-mend.js';

export interface ExecuteInput {
  /** Id, or a unique beginning of it. */
  readonly id: string;
  /** Cancels the task. */
  readonly signal?: AbortSignal | undefined;
  readonly observer?: TaskObserver | undefined;
}

/**
 * Works on a task that waits, from its turn to its end, and gives it as it is then. Failing and being cancelled are
 * results. What a crash of this process leaves is found by the next one: see sweep-tasks.ts.
 */
export async function executeTask(context: Context, { id, signal, ...input }: ExecuteInput): Promise<Task> {
  const observer = safely(input.observer ?? {}, context.narrate);
  const waiting = await findTask(context, id);
  const { config } = await context.loadConfig(waiting.repository);
  const turn = await takeTurn(context, waiting, { concurrency: config.tasks.concurrency, signal });
  if (turn.status !== 'running') return toTask(turn);
  try {
    return toTask(await executeTurn(context, turn, { signal, observer }));
  } catch (error) {
    await letGo(context, turn.id);
    throw error;
  }
}

/** Whatever it was must not leave the task in the hands of a process that does nothing for it any more. */
async function letGo(context: Context, id: string): Promise<void> {
  const task = await context.store.tasks.find(id).catch(() => undefined);
  if (task?.owner && isActive(task.status) && isSameProcess(task.owner, context.self))
    await stopTask(context, task, 'interrupted').catch(() => undefined);
}

interface Onlookers {
  readonly signal: AbortSignal | undefined;
  readonly observer: TaskObserver;
}

async function executeTurn(
  context: Context,
  turn: TaskRecord,
  { signal, observer }: Onlookers,
): Promise<TaskRecord> {
  context.onStep('task', 'started');
  const log = openTaskLog(taskPlace(context.places.stateDir, turn.id).logFile, {
    now: context.now,
    writer: context.self,
    onTrouble: problem => context.narrate(`warning: the log of ${turn.id} could not be written: ${problem}`),
  });
  const alive = keepAlive(context, turn.id);
  const deadline = startDeadline(turn.plan.timeoutMs, context.now());
  const cancelled = signal ? AbortSignal.any([signal, alive.signal]) : alive.signal;
  const execution: Execution = {
    context,
    task: holdTask(context, turn, observer),
    budget: createBudget(turn.plan.limits, turn.usage),
    signal: AbortSignal.any([cancelled, deadline.signal]),
    deadline: deadline.at,
    tell: line => {
      log.line(line);
      observer.onLine?.({ ...line, at: new Date(context.now()).toISOString() });
    },
    showActivity: (stage, activity) => observer.onActivity?.(stage, activity),
  };
  try {
    observer.onChange?.(toTask(turn));
    const ending = deadline.explain(await work(execution), turn.id, cancelled.aborted);
    // A beat after the end would say that the task is no longer ours.
    alive.stop();
    return await finishWork(execution, await endTask(execution, ending));
  } finally {
    deadline.stop();
    alive.stop();
    log.close();
  }
}

async function work(execution: Execution): Promise<Ending> {
  try {
    const workspace = await openTaskWorkspace(execution);
    if (execution.signal.aborted) return CANCELLED;
    await requireAgentsReady(execution, workspace);
    const stages = await runStages(execution, workspace);
    if (stages.kind !== 'done') return stages;
    const validation = await validateOrMend(execution, workspace);
    return validation.kind === 'done' ? await deliverWork(execution) : validation;
  } catch (error) {
    // Not ours any more: whoever has it now tells how it ends.
    if (isCarrelError(error, 'TASK_BUSY')) throw error;
    if (execution.signal.aborted && !isCarrelError(error, 'INTERNAL')) return CANCELLED;
    const failure = describeError(error, execution.task.current());
    const text = `${failure.kind}: ${failure.message}`;
    execution.tell({ stage: null, attempt: 0, stream: 'carrel', text });
    return failed(failure);
  }
}

/** What could not be done at all. A mistake of ours ends the task too, so that it is not forgotten, and is told as such. */
function describeError(error: unknown, { id }: TaskRecord): Failure {
  if (isCarrelError(error)) {
    const { code, message, hint } = error;
    return { kind: failureKind(code), stage: null, message, hint, output: null };
  }
  const message = `an unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  return { kind: 'internal', stage: null, message, hint: `carrel task retry ${id}`, output: null };
}
