import { isCarrelError } from '../domain/error.js';
import type { Failure } from '../domain/failure.js';
import type { Task, TaskRecord } from '../domain/task.js';
import { endRun, stopStages, type TaskEnding, toTask } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { createBudget } from './budget.js';
import { startDeadline } from './deadline.js';
import { deliverWork } from './deliver-work.js';
import { CANCELLED, type Ending, type Execution, failed } from './execution.js';
import { findTask } from './find-task.js';
import { finishWork } from './finish-work.js';
import { holdTask } from './held-task.js';
import { keepAlive } from './keep-alive.js';
import { safely, type TaskObserver } from './observer.js';
import { requireAgentsReady } from './require-agents-ready.js';
import { runStages } from './run-stages.js';
import { takeTurn } from './take-turn.js';
import { openTaskLog } from './task-log.js';
import { taskPlace } from './task-place.js';
import { openTaskWorkspace } from './task-workspace.js';
import { validateTask } from './validate-task.js';

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
export async function executeTask(context: Context, input: ExecuteInput): Promise<Task> {
  const { signal } = input;
  const observer = safely(input.observer ?? {}, context.narrate);
  const waiting = await findTask(context, input.id);
  const { config } = await context.loadConfig(waiting.repository);
  const turn = await takeTurn(context, waiting, { concurrency: config.tasks.concurrency, signal });
  if (turn.status !== 'running') return toTask(turn);
  context.onStep('task', 'started');
  const alive = keepAlive(context, turn.id);
  const log = openTaskLog(taskPlace(context.places.stateDir, turn.id).logFile, {
    now: context.now,
    writer: context.self,
    onTrouble: problem => context.narrate(`warning: the log of ${turn.id} could not be written: ${problem}`),
  });
  const task = holdTask(context, turn, observer);
  const deadline = startDeadline(turn.plan.timeoutMs, context.now());
  const cancelled = signal ? AbortSignal.any([signal, alive.signal]) : alive.signal;
  const execution: Execution = {
    context,
    task,
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
    const ended = await end(execution, ending);
    return toTask(await finishWork(execution, ended));
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
    const validation = await validateTask(execution, workspace);
    return validation.kind === 'done' ? await deliverWork(execution) : validation;
  } catch (error) {
    if (execution.signal.aborted && !isCarrelError(error, 'INTERNAL')) return CANCELLED;
    const failure = describeError(error, execution.task.current());
    execution.tell({
      stage: null,
      attempt: 0,
      stream: 'carrel',
      text: `${failure.kind}: ${failure.message}`,
    });
    return failed(failure);
  }
}

/** What could not be done at all. A mistake of ours ends the task too, so that it is not forgotten, and is told as such. */
function describeError(error: unknown, { id }: TaskRecord): Failure {
  if (!isCarrelError(error)) {
    const message = `an unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    return { kind: 'internal', stage: null, message, hint: `carrel task retry ${id}`, output: null };
  }
  // Not ours any more: whoever has it now tells how it ends.
  if (error.code === 'TASK_BUSY') throw error;
  const { message, hint } = error;
  return { kind: kindOf(error.code), stage: null, message, hint, output: null };
}

const KINDS: Readonly<Partial<Record<string, Failure['kind']>>> = {
  PROGRAM_NOT_INSTALLED: 'program-missing',
  AGENT_KEY_MISSING: 'key-missing',
  ISOLATION_UNAVAILABLE: 'isolation',
  RUNTIME_UNAVAILABLE: 'isolation',
  SANDBOX_REFUSED: 'isolation',
  IMAGE_MISSING: 'isolation',
  WORKSPACE_MISSING: 'workspace-lost',
  WORKSPACE_REPLACED: 'workspace-lost',
  WORKSPACE_MOVED: 'workspace-lost',
  DISK_FULL: 'disk-full',
};

const kindOf = (code: string): Failure['kind'] => KINDS[code] ?? 'internal';

const STATUS = { done: 'succeeded', failed: 'failed', cancelled: 'cancelled' } as const;

/** From here on the task is nobody's; only its workspace is left to see to (finish-work.ts). */
async function end({ context, task }: Execution, ending: Ending): Promise<TaskRecord> {
  const at = new Date(context.now()).toISOString();
  const status: TaskEnding = STATUS[ending.kind];
  const failure = ending.kind === 'failed' ? ending.failure : undefined;
  const ended = await task.change(
    ({ runs, stages }) => ({
      status,
      endedAt: at,
      owner: null,
      heartbeatAt: null,
      cancelRequestedAt: null,
      runs: endRun(runs, status, at),
      stages: status === 'succeeded' ? stages : stopStages(stages, 'cancelled', at),
      ...(failure ? { failure } : {}),
    }),
    { type: `task.${status}`, data: failure ? { kind: failure.kind, message: failure.message } : {} },
  );
  context.onStep('task', 'ended');
  return ended;
}
