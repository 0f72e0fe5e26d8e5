import { createReader } from '../agent/plan-invocation.js';
import { carrelError, isCarrelError } from '../domain/error.js';
import type { Failure, FailureKind } from '../domain/failure.js';
import type { ResolvedAgent, StageOutput } from '../domain/task.js';
import type { WorkflowStage } from '../domain/workflow.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { type AttemptTime, findTime } from './attempt-time.js';
import { clearLitter } from './clear-litter.js';
import { describeFailure } from './describe-failure.js';
import { type Desk, openDesk } from './desk.js';
import type { Execution } from './execution.js';
import { explainStart } from './explain-start.js';
import { finishAttempt } from './finish-attempt.js';
import { layOutDesk } from './lay-out-desk.js';
import { type AgentRun, runAgent } from './run-agent.js';
import { settleRemainder } from './settle-remainder.js';

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
  const { id } = task.current();
  const { name } = attempt.stage;
  const agent = requireAgent(execution, attempt.stage);
  const desk = openDesk(context, attempt.record, { taskId: id, stage: name, attempt: attempt.number });
  try {
    return await runAtDesk(execution, attempt, { agent, desk, time });
  } catch (error) {
    if (execution.signal.aborted && !isCarrelError(error, 'INTERNAL')) return { kind: 'cancelled' };
    return fail(explainStart(error, agent, name).failure);
  } finally {
    await desk.clear();
  }
}

interface Place {
  readonly agent: ResolvedAgent;
  readonly desk: Desk;
  readonly time: AttemptTime;
}

async function runAtDesk(
  execution: Execution,
  attempt: Attempt,
  { agent, desk, time }: Place,
): Promise<AttemptEnding> {
  const { context, task } = execution;
  const { stage, record, number } = attempt;
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
  const run = await runAgent(execution, record, call);
  context.onStep('task', `agent-ended.${stage.name}`);
  if (execution.signal.aborted || run.ending === 'cancelled') {
    if (run.exceeded === undefined) return { kind: 'cancelled' };
  }
  const problem = reader.problem();
  const kind = classify(run, time);
  await clearLitter(context, record, agent, execution.signal);
  if (kind === undefined)
    return finishAttempt(execution, attempt, { desk, message: reader.message() ?? null, run });
  const told = { ...run, stage: stage.name, agent, time, problem, task: task.current() };
  const ending = await leaveUnfinished(execution, attempt, describeFailure(kind, told));
  return { ...ending, exitCode: run.result.exitCode, retryAfterMs: problem?.retryAfterMs };
}

/** The next attempt, or whoever looks at the workspace, may not value what this one has done; it is kept. */
async function leaveUnfinished(
  execution: Execution,
  { record, stage, number, before }: Attempt,
  failure: Failure,
): Promise<Extract<AttemptEnding, { kind: 'failed' }>> {
  const { name, agent } = stage;
  const what = `attempt ${number}, not finished`;
  const remainder = { stage: name, agent, what, before };
  const { commit, warnings, problem } = await settleRemainder(execution, record, remainder);
  for (const text of warnings)
    execution.tell({ stage: name, attempt: number, stream: 'carrel', text: `warning: ${text}` });
  const message = problem === undefined ? failure.message : `${failure.message}; and ${problem}`;
  return { ...fail({ ...failure, message }), commit };
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
