import { createReader } from '../../agent/plan-invocation.js';
import type { Handoff } from '../../attempt/handoff/handoff.js';
import { removeAgentLeftovers } from '../../attempt/remove-agent-leftovers.js';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { Failure, FailureKind } from '../../domain/task/failure.js';
import type { ResolvedAgent, StageOutput } from '../../domain/task/task.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import type { Context } from '../../operations/context.js';
import type { Execution } from '../execution.js';
import type { PartCommits } from '../record/task-repositories.js';
import { commitRemainingChanges } from './commit/commit-remaining-changes.js';
import { describeFailure } from './describe-failure.js';
import { explainAttemptError } from './explain-attempt-error.js';
import { finishAttempt } from './finish-attempt.js';
import { openHandoff } from './handoff/open-handoff.js';
import { type AttemptTime, findTime } from './limits/attempt-time.js';
import { prepareHandoff } from './prepare-handoff.js';
import { runStageAgent, type StageRun } from './run-stage-agent.js';
import type { CheckoutWatch } from './watch/watch-checkout.js';
import { watchCheckouts } from './watch/watch-checkouts.js';
import { watchShared } from './watch/watch-shared-directory.js';

/** One attempt at a stage. */
export interface StageAttempt {
  readonly record: WorkspaceRecord;
  readonly stage: WorkflowStage;
  /** Counts from 1 over all runs of the task. */
  readonly number: number;
  /** Why the previous attempt failed. */
  readonly previous: Failure | undefined;
  /** The branch's commit before it. */
  readonly before: string | null;
  /** The same in each of several repositories. */
  readonly parts: PartCommits;
}

export type StageAttemptEnding =
  | {
      readonly kind: 'succeeded';
      readonly exitCode: number | null;
      readonly message: string | null;
      readonly outputs: readonly StageOutput[];
      readonly commit: string | null;
      /** In each of several repositories. */
      readonly commits: PartCommits;
      /** Without a branch: whether anything changed; null when unknown. */
      readonly changed?: boolean | null | undefined;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly exitCode: number | null;
      readonly failure: Failure;
      /** The wait that the model's host requests. */
      readonly retryAfterMs?: number | undefined;
      /** The branch's commit, when it was read. */
      readonly commit?: string | null | undefined;
    }
  | { readonly kind: 'cancelled' };

/** Runs one attempt at a stage, with its own handoff directory, within the time limit. */
export async function runStageAttempt(
  execution: Execution,
  attempt: StageAttempt,
): Promise<StageAttemptEnding> {
  const { context, task } = execution;
  const time = findTime(execution, attempt.stage);
  const { id } = task.current();
  const { name } = attempt.stage;
  const agent = requireAgent(execution, attempt.stage);
  const handoff = await openHandoff(context, attempt.record, {
    taskId: id,
    stage: name,
    attempt: attempt.number,
  });
  try {
    return await runInHandoff(execution, attempt, { agent, handoff, time });
  } catch (error) {
    if (execution.signal.aborted && !isCarrelError(error, 'INTERNAL')) return { kind: 'cancelled' };
    return fail(explainAttemptError(error, agent, name).failure);
  } finally {
    await handoff.clear();
  }
}

interface Place {
  readonly agent: ResolvedAgent;
  readonly handoff: Handoff;
  readonly time: AttemptTime;
}

async function runInHandoff(
  execution: Execution,
  attempt: StageAttempt,
  { agent, handoff, time }: Place,
): Promise<StageAttemptEnding> {
  const { context, task } = execution;
  const { stage, record, number } = attempt;
  const environment = openEnvironment(context, record);
  const reader = createReader(agent);
  const invocation = await prepareHandoff(execution, attempt, { agent, handoff, timeoutMs: time.leftMs });
  const watch = await watchCheckouts(context, record, handoff);
  const askChange = await watchShared(context, record);
  const call = {
    stage: stage.name,
    attempt: number,
    environment,
    invocation: { ...invocation, environment: { ...invocation.environment, ...watch?.environment } },
    onText: watch?.readOutput,
    reader,
    isForPrograms: agent.result !== 'text',
    timeoutMs: time.leftMs,
  };
  context.onStep('task', `agent-starting.${stage.name}`);
  const run = await runStageAgent(execution, call);
  context.onStep('task', `agent-ended.${stage.name}`);
  const { failure, warnings } = await reportCheckoutChanges(execution, attempt, watch);
  if (execution.signal.aborted || run.ending === 'cancelled') {
    if (run.exceeded === undefined) return { kind: 'cancelled' };
  }
  const problem = reader.problem();
  const kind = classify(run, time);
  if (mayClean(context, record))
    await removeAgentLeftovers(environment, agent, { endsLeftovers: false, signal: execution.signal });
  if (failure)
    return { ...(await commitUnfinishedWork(execution, attempt, failure)), exitCode: run.result.exitCode };
  if (kind === undefined)
    return finishAttempt(execution, attempt, {
      handoff,
      message: reader.message() ?? null,
      run,
      warnings,
      askChange,
    });
  const failedRun = { ...run, stage: stage.name, agent, time, problem, task: task.current() };
  const ending = await commitUnfinishedWork(execution, attempt, describeFailure(kind, failedRun));
  return { ...ending, exitCode: run.result.exitCode, retryAfterMs: problem?.retryAfterMs };
}

/**
 * A directory of the user's own is left unchanged, and so is one without its own git: git would use a repository above
 * it.
 */
const mayClean = ({ backends }: Pick<Context, 'backends'>, record: WorkspaceRecord): boolean =>
  record.backend !== 'direct' && backends.of(record.backend).workTree(record) !== null;

/** Changes to the user's checkout meanwhile. Reported also when the attempt ends without a result. */
async function reportCheckoutChanges(
  { tell }: Execution,
  { stage, number }: StageAttempt,
  watch: CheckoutWatch | undefined,
): Promise<{ readonly failure: Failure | undefined; readonly warnings: readonly string[] }> {
  const { failure, warning, note } = (await watch?.compare()) ?? {};
  const text = failure?.message ?? note;
  if (text !== undefined) tell({ stage: stage.name, attempt: number, stream: 'carrel', text });
  return {
    failure: failure && { ...failure, stage: stage.name },
    warnings: warning === undefined ? [] : [warning],
  };
}

/** The next attempt or the user may discard this attempt's work, so it is committed. */
async function commitUnfinishedWork(
  execution: Execution,
  { record, stage, number, before, parts }: StageAttempt,
  failure: Failure,
): Promise<Extract<StageAttemptEnding, { kind: 'failed' }>> {
  const { name, agent } = stage;
  const what = `attempt ${number}, not finished`;
  const remainder = { stage: name, agent, what, before, parts };
  const { commit, warnings, problem } = await commitRemainingChanges(execution, record, remainder);
  for (const text of warnings)
    execution.tell({ stage: name, attempt: number, stream: 'carrel', text: `warning: ${text}` });
  const message = problem === undefined ? failure.message : `${failure.message}; and ${problem}`;
  return { ...fail({ ...failure, message }), commit };
}

/** The task's time limit is final: another attempt would have no time. */
function classify({ exceeded, ending }: StageRun, { isOfTask }: AttemptTime): FailureKind | undefined {
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
