import { createReader } from '../agent/plan-invocation.js';
import { carrelError } from '../domain/error.js';
import type { Failure, FailureKind } from '../domain/failure.js';
import type { ResolvedAgent, StageOutput } from '../domain/task.js';
import type { WorkflowStage } from '../domain/workflow.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { type AttemptTime, describeLateness, findTime } from './attempt-time.js';
import { clearLitter } from './clear-litter.js';
import { describeFailure } from './describe-failure.js';
import { type Desk, openDesk } from './desk.js';
import type { Execution } from './execution.js';
import { explainStart } from './explain-start.js';
import { finishAttempt } from './finish-attempt.js';
import { layOutDesk } from './lay-out-desk.js';
import { type AgentRun, runAgent } from './run-agent.js';

/** One attempt at a stage. */
export interface Attempt {
  readonly record: WorkspaceRecord;
  readonly stage: WorkflowStage;
  /** From 1 on, over all runs of the task. */
  readonly number: number;
  /** Why there is another one. */
  readonly previous: Failure | undefined;
  /** Where the branch was before it. */
  readonly before: string | null;
}

export type AttemptEnding =
  | {
      readonly kind: 'succeeded';
      readonly exitCode: number | null;
      readonly message: string | null;
      readonly outputs: readonly StageOutput[];
      readonly commit: string | null;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly exitCode: number | null;
      readonly failure: Failure;
      /** What the model's host asks for. */
      readonly retryAfterMs?: number | undefined;
      /** Where the branch is now, when it was looked at. */
      readonly commit?: string | null | undefined;
    }
  | { readonly kind: 'cancelled' };

/** Works on a stage once: with a desk of its own, for as long as there is time. */
export async function runAttempt(execution: Execution, attempt: Attempt): Promise<AttemptEnding> {
  const { context, task } = execution;
  const time = findTime(execution, attempt.stage);
  if (time.leftMs <= 0) return fail(describeLateness(execution, attempt.stage));
  const { id } = task.current();
  const { name } = attempt.stage;
  const desk = openDesk(context, attempt.record, { taskId: id, stage: name, attempt: attempt.number });
  try {
    return await runAtDesk(execution, attempt, desk, time);
  } finally {
    await desk.clear();
  }
}

async function runAtDesk(
  execution: Execution,
  attempt: Attempt,
  desk: Desk,
  time: AttemptTime,
): Promise<AttemptEnding> {
  const { context, task } = execution;
  const { stage, record, number } = attempt;
  const agent = requireAgent(execution, stage);
  const reader = createReader(agent);
  const call = {
    stage: stage.name,
    attempt: number,
    invocation: await layOutDesk(execution, attempt, { agent, desk, timeoutMs: time.leftMs }),
    reader,
    isForPrograms: agent.result !== 'text',
    timeoutMs: time.leftMs,
  };
  context.onStep('task', `agent-starting.${stage.name}`);
  const run = await runAgent(execution, record, call).catch(error => explainStart(error, agent, stage.name));
  context.onStep('task', `agent-ended.${stage.name}`);
  if ('failure' in run) return fail(run.failure);
  if (execution.signal.aborted || run.ending === 'cancelled') {
    if (run.exceeded === undefined) return { kind: 'cancelled' };
  }
  const problem = reader.problem();
  const kind = classify(run, time);
  if (kind === undefined) await clearLitter(context, record, agent, execution.signal);
  if (kind === undefined)
    return finishAttempt(execution, attempt, { desk, message: reader.message() ?? null, run });
  const told = { ...run, stage: stage.name, agent, time, problem, taskId: task.current().id };
  const { exitCode } = run.result;
  return { ...fail(describeFailure(kind, told)), exitCode, retryAfterMs: problem?.retryAfterMs };
}

/** The time of the whole task is a limit: another attempt would have none. */
function classify({ exceeded, ending }: AgentRun, { isOfTask }: AttemptTime): FailureKind | undefined {
  if (exceeded !== undefined) return 'limit';
  if (ending === 'timed-out' && isOfTask) return 'limit';
  return ending === 'cancelled' ? undefined : ending;
}

const fail = (failure: Failure) => ({ kind: 'failed', exitCode: null, failure }) as const;

function requireAgent({ task }: Execution, stage: WorkflowStage): ResolvedAgent {
  const { plan, id } = task.current();
  const agent = plan.agents[stage.agent];
  if (!agent) throw carrelError('INTERNAL', { problem: `task ${id} has no agent ${stage.agent}` });
  return agent;
}
