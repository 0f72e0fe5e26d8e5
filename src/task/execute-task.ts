import { createBudget } from '../attempt/limits/budget.js';
import { startDeadline } from '../attempt/limits/deadline.js';
import { isCarrelError } from '../domain/error/error.js';
import { isSameProcess } from '../domain/process-identity.js';
import type { Failure } from '../domain/task/failure.js';
import type { Task, TaskRecord } from '../domain/task/task.js';
import type { TaskObserver } from '../domain/task/task-observer.js';
import { isActive, toTask, waitsForApproval } from '../domain/task/task-state.js';
import { formatDuration } from '../domain/text/format-quantity.js';
import { registerAgentSecrets, registerServerToken } from '../operations/command/register-secrets.js';
import type { Context } from '../operations/context.js';
import { sourceStack } from '../operations/diagnosis/source-stack.js';
import { pauseForApproval } from './approval/pause-for-approval.js';
import { failureKind } from './attempt/failure-kind.js';
import { moreTime } from './attempt/limits/attempt-time.js';
import { startHeartbeat } from './attempt/limits/task-heartbeat.js';
import { cleanUpTask } from './delivery/clean-up-task.js';
import { deliverWork } from './delivery/deliver-work.js';
import { endTask } from './delivery/end-task.js';
import { CANCELLED, type Ending, type Execution, failed, GATED } from './execution.js';
import { openTaskLog } from './log/task-log.js';
import { startTaskWebhooks } from './log/task-webhooks.js';
import { takeTurn } from './queue/take-turn.js';
import { findTask } from './record/find-task.js';
import { holdTask } from './record/held-task.js';
import { stopTask } from './record/stop-task.js';
import { taskPlace } from './record/task-place.js';
import { retryTask } from './recovery/retry-task.js';
import { requireAgentsReady } from './stage/require-agents-ready.js';
import { runStages } from './stage/run-stages.js';
import { requireStageIsolation } from './stage/stage-isolation-ready.js';
import { openTaskWorkspace } from './stage/task-workspace.js';
import { safely } from './task-observer.js';
import { validateOrFix } from './validation/validate-or-fix.js';

/** Which task to execute, how to cancel it, and its observer. */
export interface ExecuteInput {
  /** Id, or a unique prefix of it. */
  readonly id: string;
  /** Cancels the task. */
  readonly signal?: AbortSignal | undefined;
  readonly observer?: TaskObserver | undefined;
  /** Retry a task that failed, once, after its last successful stage. */
  readonly autoRetry?: boolean | undefined;
}

/**
 * Runs a waiting task, from its turn in the queue to its end, and returns it in its final state. Failing and being cancelled are
 * results, and so is waiting for an approval. The next process recovers after a crash of this one: see task/recovery/recover-tasks.ts.
 */
export async function executeTask(context: Context, input: ExecuteInput): Promise<Task> {
  const task = await executeOnce(context, input);
  if (!input.autoRetry || task.status !== 'failed') return task;
  const { id } = await retryTask(context, { id: task.id });
  return executeOnce(context, { ...input, id });
}

async function executeOnce(context: Context, { id, signal, ...input }: ExecuteInput): Promise<Task> {
  const observer = safely(input.observer ?? {}, context.narrate);
  const waiting = await findTask(context, id);
  if (waiting.plan.fleet)
    return toTask(await (await context.fleetTasks()).execute(waiting, { signal, observer }));
  const { config } = await context.loadConfig(waiting.repository);
  // The slots of a worker are its limit.
  const concurrency = waiting.plan.submittedAs === undefined ? config.tasks.concurrency : Infinity;
  const turn = await takeTurn(context, waiting, { concurrency, signal });
  if (turn.status !== 'running') return toTask(turn);
  try {
    return toTask(await executeTurn(context, turn, { signal, observer }));
  } catch (error) {
    await interruptIfOwned(context, turn.id);
    throw error;
  }
}

/** An error must not leave the task owned by a process that no longer works on it. */
async function interruptIfOwned(context: Pick<Context, 'store' | 'now' | 'self'>, id: string): Promise<void> {
  const task = await context.store.tasks.find(id).catch(() => undefined);
  if (task?.owner && isActive(task.status) && isSameProcess(task.owner, context.self))
    await stopTask(context, task, 'interrupted').catch(() => undefined);
}

interface TurnOptions {
  readonly signal: AbortSignal | undefined;
  readonly observer: TaskObserver;
}

async function executeTurn(
  context: Context,
  turn: TaskRecord,
  { signal, observer }: TurnOptions,
): Promise<TaskRecord> {
  context.onStep('task', 'started');
  registerServerToken(context.redactor, context.places.stateDir);
  for (const agent of Object.values(turn.plan.agents))
    registerAgentSecrets(context.redactor, agent, context.environment);
  const log = openTaskLog(taskPlace(context.places.stateDir, turn.id).logFile, {
    now: context.now,
    writer: context.self,
    redact: context.redactor.text,
    onTrouble: problem => context.narrate(`warning: cannot write the log of ${turn.id}: ${problem}`),
  });
  const alive = startHeartbeat(context, turn.id);
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
      observer.onLine?.({
        ...line,
        text: context.redactor.text(line.text),
        at: new Date(context.now()).toISOString(),
      });
    },
    showActivity: (stage, activity) => observer.onActivity?.(stage, context.redactor.text(activity)),
  };
  const flushWebhooks = await startTaskWebhooks(context, turn.id, problem =>
    execution.tell({ stage: null, attempt: 0, stream: 'carrel', text: `warning: ${problem}` }),
  );
  try {
    observer.onChange?.(toTask(turn));
    const ending = await work(execution);
    const isLate = ending.kind === 'cancelled' && deadline.signal.aborted && !cancelled.aborted;
    // A heartbeat after the end would report that the task is no longer ours.
    alive.stop();
    if (ending.kind === 'gated') return await pauseForApproval(execution);
    return await cleanUpTask(
      execution,
      await endTask(execution, isLate ? failed(describeLateness(turn)) : ending),
    );
  } finally {
    deadline.stop();
    alive.stop();
    await flushWebhooks();
    log.close();
  }
}

async function work(execution: Execution): Promise<Ending> {
  try {
    const workspace = await openTaskWorkspace(execution);
    if (execution.signal.aborted) return CANCELLED;
    await requireStageIsolation(execution, workspace);
    await requireAgentsReady(execution, workspace);
    const stages = await runStages(execution, workspace);
    if (stages.kind !== 'done') return stages;
    const validation = await validateOrFix(execution, workspace);
    if (validation.kind !== 'done') return validation;
    return execution.task.current().stages.some(waitsForApproval) ? GATED : await deliverWork(execution);
  } catch (error) {
    // No longer ours: its new owner reports how it ends.
    if (isCarrelError(error, 'TASK_BUSY', 'STATE_LOST')) throw error;
    if (execution.signal.aborted && !isCarrelError(error, 'INTERNAL')) return CANCELLED;
    const failure = describeError(error, execution.task.current());
    const text = `${failure.kind}: ${failure.message}`;
    execution.tell({ stage: null, attempt: 0, stream: 'carrel', text });
    return failed(failure);
  }
}

function describeLateness({ id, plan }: TaskRecord): Failure {
  const limitMs = plan.timeoutMs ?? 0;
  const message = `the task did not finish within ${formatDuration(limitMs)}`;
  return { kind: 'limit', stage: null, message, hint: moreTime(id, limitMs), output: null };
}

/** The failure for an unexpected error. A bug in Carrel ends the task too, and is reported as such. */
function describeError(error: unknown, { id }: TaskRecord): Failure {
  if (isCarrelError(error)) {
    const { code, message, hint } = error;
    return { kind: failureKind(code), stage: null, message, hint, output: null };
  }
  const message = `an unexpected error: ${error instanceof Error ? sourceStack(error) : String(error)}`;
  return { kind: 'internal', stage: null, message, hint: `carrel task retry ${id}`, output: null };
}
