import type { Invocation } from '../../agent/invocation.js';
import { handOver } from '../../attempt/hand-over.js';
import type { Handoff } from '../../attempt/handoff/handoff.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import { aliasOf, listParts } from '../../operations/group/group-records.js';
import type { Execution } from '../execution.js';
import { composePrompt } from './compose-prompt.js';
import { outputFileName } from './handoff/output-file-name.js';
import { readInputs, type StageInput } from './handoff/read-inputs.js';
import type { StageAttempt } from './run-stage-attempt.js';

export interface HandoffPlace {
  readonly agent: ResolvedAgent;
  readonly handoff: Handoff;
  readonly timeoutMs: number;
}

/** Writes the agent's files to its handoff directory; returns how to call the agent. */
export async function prepareHandoff(
  execution: Execution,
  attempt: StageAttempt,
  { agent, handoff, timeoutMs }: HandoffPlace,
): Promise<Invocation> {
  const { context, task } = execution;
  const inputs = await readInputs(task.current().stages, attempt.stage.inputs ?? []);
  return handOver(agent, handoff, {
    prompt: await writePrompt(execution, attempt, { agent, handoff, timeoutMs, inputs }),
    inputs: new Map(inputs.map(({ fileName, content }) => [fileName, content])),
    variables: variablesOf(execution, attempt, timeoutMs),
    isSandboxed: attempt.record.sandbox !== undefined,
    callerEnvironment: context.environment,
    budgetUsd: findBudget(execution),
  });
}

async function writePrompt(
  { context, task }: Execution,
  { stage, record, previous }: StageAttempt,
  { agent, handoff, timeoutMs, inputs }: HandoffPlace & { readonly inputs: readonly StageInput[] },
): Promise<string> {
  const { description, plan, stages } = task.current();
  const { inputDir, outputDir } = handoff.seen;
  const parts = record.group ? await listParts(context, record) : [];
  return composePrompt({
    description,
    workflow: plan.workflow,
    stage,
    agent,
    position: { index: stages.findIndex(each => each.name === stage.name) + 1, of: stages.length },
    inputs: inputs.map(({ name, fileName, text }) => ({ name, path: `${inputDir}/${fileName}`, text })),
    outputs: (stage.outputs ?? []).map(name => ({ name, path: `${outputDir}/${outputFileName(name)}` })),
    isolation: record.isolation.effective,
    branch: record.branch,
    repositories: parts.map(part => ({ alias: aliasOf(part), path: part.path })),
    deadline: new Date(context.now() + timeoutMs).toISOString(),
    previous,
  });
}

/** The remaining cost budget. Without any left the agent is not started; at least a cent, because some may have been used since that check. */
function findBudget({ task, budget }: Execution): number | undefined {
  const { costUsd } = task.current().plan.limits;
  return costUsd === undefined ? undefined : Math.max(costUsd - (budget.total().costUsd ?? 0), 0.01);
}

const variablesOf = ({ context, task }: Execution, { stage, number }: StageAttempt, timeoutMs: number) => ({
  CARREL_TASK_ID: task.current().id,
  CARREL_STAGE: stage.name,
  CARREL_ATTEMPT: String(number),
  CARREL_DEADLINE: new Date(context.now() + timeoutMs).toISOString(),
});
