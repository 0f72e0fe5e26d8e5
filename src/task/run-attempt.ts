import { createReader, planInvocation } from '../agent/plan-invocation.js';
import { carrelError, isCarrelError } from '../domain/error.js';
import type { Failure } from '../domain/failure.js';
import { parseDuration } from '../domain/quantity.js';
import type { ResolvedAgent, StageOutput } from '../domain/task.js';
import type { WorkflowStage } from '../domain/workflow.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { composePrompt } from './compose-prompt.js';
import { describeFailure } from './describe-failure.js';
import { type Desk, openDesk } from './desk.js';
import type { Execution } from './execution.js';
import { finishAttempt } from './finish-attempt.js';
import { outputFileName } from './output-file-name.js';
import { readInputs } from './read-inputs.js';
import { runAgent } from './run-agent.js';

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

/** A stage that names no limit of its own. */
const STAGE_LIMIT_MS = 2 * 3_600_000;

export async function runAttempt(execution: Execution, attempt: Attempt): Promise<AttemptEnding> {
  const { context, task } = execution;
  const timeoutMs = findTimeLeft(execution, attempt.stage);
  if (timeoutMs <= 0) return outOfTime(execution, attempt);
  const { id } = task.current();
  const { name } = attempt.stage;
  const desk = await openDesk(context, attempt.record, { taskId: id, stage: name, attempt: attempt.number });
  try {
    return await runAtDesk(execution, attempt, desk, timeoutMs);
  } finally {
    await desk.clear();
  }
}

async function runAtDesk(
  execution: Execution,
  attempt: Attempt,
  desk: Desk,
  timeoutMs: number,
): Promise<AttemptEnding> {
  const { context, task } = execution;
  const { stage, record, number } = attempt;
  const agent = requireAgent(execution, stage);
  const prompt = await layOut(execution, attempt, agent, desk, timeoutMs);
  const planned = planInvocation(agent, {
    prompt,
    desk: desk.seen,
    isSandboxed: record.sandbox !== undefined,
  });
  const invocation = {
    ...planned,
    environment: { ...planned.environment, ...variablesOf(execution, attempt, timeoutMs) },
  };
  const reader = createReader(agent);
  context.onStep('task', `agent-starting.${stage.name}`);
  const call = { stage: stage.name, attempt: number, invocation, reader, timeoutMs };
  const run = await runAgent(execution, record, call).catch(error => startFailure(error, agent, stage));
  context.onStep('task', `agent-ended.${stage.name}`);
  if ('failure' in run) return { kind: 'failed', exitCode: null, failure: run.failure };
  if (execution.signal.aborted) return { kind: 'cancelled' };
  const { exitCode } = run.result;
  const kind = run.exceeded === undefined ? run.ending : 'limit';
  if (kind === 'cancelled') return { kind };
  if (kind !== undefined) {
    const problem = reader.problem();
    const told = { ...run, stage: stage.name, agent, timeoutMs, problem, taskId: task.current().id };
    const retryAfterMs = problem?.retryAfterMs;
    return { kind: 'failed', exitCode, failure: describeFailure(kind, told), retryAfterMs };
  }
  return finishAttempt(execution, attempt, { desk, exitCode, message: reader.message() ?? null, agent, run });
}

/** Places what the agent reads; gives the prompt. */
async function layOut(
  execution: Execution,
  attempt: Attempt,
  agent: ResolvedAgent,
  desk: Desk,
  timeoutMs: number,
): Promise<string> {
  const { context, task } = execution;
  const { description, plan, stages } = task.current();
  const { stage, record, previous } = attempt;
  const inputs = await readInputs(stages, stage.inputs ?? []);
  const prompt = composePrompt({
    description,
    workflow: plan.workflow,
    stage,
    agent,
    position: { index: stages.findIndex(each => each.name === stage.name) + 1, of: stages.length },
    inputs: inputs.map(({ name, fileName, text }) => ({
      name,
      path: `${desk.seen.inputDir}/${fileName}`,
      text,
    })),
    outputs: (stage.outputs ?? []).map(name => ({
      name,
      path: `${desk.seen.outputDir}/${outputFileName(name)}`,
    })),
    isolation: record.isolation.effective,
    branch: record.branch,
    deadline: new Date(context.now() + timeoutMs).toISOString(),
    previous,
  });
  await desk.place(
    new Map([
      ['prompt.md', Buffer.from(prompt)],
      ...inputs.map(({ fileName, content }) => [`inputs/${fileName}`, content] as const),
      ...Object.entries(agent.files).map(([path, text]) => [`files/${path}`, Buffer.from(text)] as const),
    ]),
  );
  return prompt;
}

const variablesOf = ({ context, task }: Execution, { stage, number }: Attempt, timeoutMs: number) => ({
  CARREL_TASK_ID: task.current().id,
  CARREL_STAGE: stage.name,
  CARREL_ATTEMPT: String(number),
  CARREL_DEADLINE: new Date(context.now() + timeoutMs).toISOString(),
});

function requireAgent({ task }: Execution, stage: WorkflowStage): ResolvedAgent {
  const { plan, id } = task.current();
  const agent = plan.agents[stage.agent];
  if (!agent) throw carrelError('INTERNAL', { problem: `task ${id} has no agent ${stage.agent}` });
  return agent;
}

/** What can go wrong before the agent runs at all. */
function startFailure(error: unknown, agent: ResolvedAgent, stage: WorkflowStage): { failure: Failure } {
  const told = (kind: Failure['kind']) => {
    const { message, hint } = error as { message: string; hint: string };
    return { failure: { kind, stage: stage.name, message, hint, output: null } };
  };
  if (isCarrelError(error, 'PROGRAM_MISSING')) {
    const hint = agent.program.kind === 'preset' ? 'carrel doctor tells what is installed' : error.hint;
    return { failure: { ...told('program-missing').failure, hint } };
  }
  if (isCarrelError(error, 'WORKSPACE_MISSING', 'WORKSPACE_REPLACED', 'WORKSPACE_MOVED', 'NO_SUCH_DIRECTORY'))
    return told('workspace-lost');
  if (isCarrelError(error, 'DISK_FULL')) return told('disk-full');
  if (
    isCarrelError(error, 'SANDBOX_REFUSED', 'RUNTIME_UNAVAILABLE', 'IMAGE_MISSING', 'LIMIT_NOT_ENFORCEABLE')
  )
    return told('isolation');
  throw error;
}

/** Milliseconds for this attempt: those of the stage, or what is left of the task's. */
function findTimeLeft({ context, deadline }: Execution, { timeout }: WorkflowStage): number {
  const ofStage = timeout === undefined ? STAGE_LIMIT_MS : parseDuration(timeout);
  return deadline === undefined ? ofStage : Math.min(ofStage, deadline - context.now());
}

function outOfTime({ task }: Execution, { stage }: Attempt): AttemptEnding {
  const { id } = task.current();
  const failure = {
    kind: 'limit',
    stage: stage.name,
    message: "the time of the whole task was over before the stage's attempt could begin",
    hint: `give it more with --timeout, or go on with: carrel task retry ${id}`,
    output: null,
  } as const;
  return { kind: 'failed', exitCode: null, failure };
}
