import { setTimeout as delay } from 'node:timers/promises';
import { addUsage, NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Failure } from '../../domain/task/failure.js';
import { isRetried, retryDelay } from '../../domain/task/retry-rules.js';
import type { Stage } from '../../domain/task/task.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { checkpointIfChanged } from '../../operations/capture/checkpoint-if-changed.js';
import { readPartCommits } from '../attempt/commit/commit-parts.js';
import { findExhaustedLimit } from '../attempt/limits/refuse-attempt.js';
import { runStageAttempt, type StageAttemptEnding } from '../attempt/run-stage-attempt.js';
import { CANCELLED, type Cancelled, type Execution, type Failed, failed } from '../execution.js';
import { describeCommits, findHead, type PartCommits } from '../record/task-repositories.js';

/** The result of a stage. Its work is on the branch of its workspace, but it has not succeeded until that is recorded. */
export type StageEnding = { readonly kind: 'worked'; readonly patch: Partial<Stage> } | Failed | Cancelled;

export interface StageStart {
  readonly record: WorkspaceRecord;
  readonly stage: WorkflowStage;
  /** The branch's commit before the stage first started. */
  readonly base: string | null;
  /** The branch's commit now. */
  readonly before: string | null;
  /** Where the branch of each of several repositories was before the stage first started. */
  readonly bases: PartCommits;
}

/** Runs a stage in a workspace, with retries while they can help. A cancelled stage ends with its task. */
export async function runStage(execution: Execution, start: StageStart): Promise<StageEnding> {
  const { task, signal } = execution;
  const { record, stage } = start;
  await beginStage(execution, stage);
  const failures = { limited: 0, others: 0 };
  let previous = task.stage(stage.name).previousFailure;
  let commit = start.before;
  for (;;) {
    const ending = await attemptOnce(execution, { record, stage, previous, before: commit });
    if (ending.kind === 'succeeded') return { kind: 'worked', patch: describeSuccess(ending, start) };
    if (ending.kind === 'cancelled' || signal.aborted) return CANCELLED;
    const { failure, exitCode } = ending;
    commit = ending.commit ?? commit;
    const count = ++failures[failure.kind === 'rate-limited' ? 'limited' : 'others'];
    const isLast = !isRetried(failure.kind, count, stage.retries ?? 0);
    await recordFailure(execution, stage, failure, exitCode, isLast);
    if (isLast) return failed(failure);
    previous = failure;
    const waitMs = retryDelay(failure.kind, count, task.current().plan.retryDelayMs, ending.retryAfterMs);
    if (!(await pause(execution, stage, waitMs))) return CANCELLED;
  }
}

async function beginStage({ context, task, tell }: Execution, stage: WorkflowStage): Promise<void> {
  const patch = {
    status: 'running',
    startedAt: now(context),
    endedAt: null,
    commit: null,
    approval: undefined,
  } as const;
  await task.changeStage(stage.name, patch, { type: 'stage.started', data: { agent: stage.agent } });
  context.onStep('task', `stage-started.${stage.name}`);
  tell({ stage: stage.name, attempt: 0, stream: 'carrel', text: `started (${stage.agent})` });
}

interface NextAttempt {
  readonly record: WorkspaceRecord;
  readonly stage: WorkflowStage;
  readonly previous: Failure | undefined;
  readonly before: string | null;
}

/** Counts the attempt before it starts, and its usage regardless of the result. */
async function attemptOnce(execution: Execution, next: NextAttempt): Promise<StageAttemptEnding> {
  const { context, task, budget } = execution;
  const refusal = findExhaustedLimit(execution, next.stage);
  if (refusal) return { kind: 'failed', exitCode: null, failure: refusal };
  const { name } = next.stage;
  const used = task.stage(name).usage;
  const { attempts } = await task.changeStage(name, stage => ({ attempts: stage.attempts + 1 }), {
    type: 'stage.attempt-started',
    data: { attempt: task.stage(name).attempts + 1 },
  });
  try {
    const parts = await readPartCommits(context, next.record, part => findHead(task.current(), part));
    return await runStageAttempt(execution, { ...next, parts, number: attempts });
  } finally {
    const usage = addUsage(used, budget.of(`${name} ${attempts}`) ?? NO_USAGE);
    await task.changeStage(name, { usage });
    await task.change({ usage: budget.total() });
    await checkpointIfChanged(context, next.record);
  }
}

function describeSuccess(
  ending: Extract<StageAttemptEnding, { kind: 'succeeded' }>,
  { base, bases }: StageStart,
): Partial<Stage> {
  const { exitCode, message, outputs, commit, commits, warnings } = ending;
  const isPartChanged = Object.entries(commits).some(([alias, each]) => each !== bases[alias]);
  // A plain directory has no commits to compare.
  const { changed = commit === null ? null : commit !== base || isPartChanged } = ending;
  return {
    exitCode,
    message,
    outputs: [...outputs],
    commit,
    ...describeCommits(commits),
    changed,
    warnings: [...warnings],
  };
}

async function recordFailure(
  { context, task, tell }: Execution,
  { name }: WorkflowStage,
  failure: Failure,
  exitCode: number | null,
  isLast: boolean,
): Promise<void> {
  const { kind, message } = failure;
  const { attempts } = task.stage(name);
  tell({ stage: name, attempt: attempts, stream: 'carrel', text: `${kind}: ${message}` });
  const event = { type: 'stage.attempt-failed', data: { attempt: attempts, kind, message } } as const;
  if (!isLast) {
    await task.changeStage(name, { exitCode, previousFailure: failure }, event);
    return;
  }
  const patch = { status: 'failed', endedAt: now(context), exitCode, failure } as const;
  await task.changeStage(name, patch, event, { type: 'stage.failed', data: { kind, message } });
  context.onStep('task', `stage-failed.${name}`);
}

/** False when it was cancelled meanwhile. */
async function pause({ tell, signal }: Execution, { name }: WorkflowStage, waitMs: number): Promise<boolean> {
  const text = `retrying in ${formatDuration(waitMs)}`;
  tell({ stage: name, attempt: 0, stream: 'carrel', text });
  return delay(waitMs, true, { signal }).catch(() => false);
}

const now = (context: Execution['context']): string => new Date(context.now()).toISOString();
