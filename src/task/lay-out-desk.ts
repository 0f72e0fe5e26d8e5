import type { Invocation } from '../agent/invocation.js';
import { planInvocation } from '../agent/plan-invocation.js';
import type { ResolvedAgent } from '../domain/task.js';
import { composePrompt } from './compose-prompt.js';
import type { Desk } from './desk.js';
import type { Execution } from './execution.js';
import { outputFileName } from './output-file-name.js';
import { readInputs, type StageInput } from './read-inputs.js';
import type { Attempt } from './run-attempt.js';

export interface AttemptPlace {
  readonly agent: ResolvedAgent;
  readonly desk: Desk;
  readonly timeoutMs: number;
}

/** Places what the agent reads on its desk; gives how it is to be called. */
export async function layOutDesk(
  execution: Execution,
  attempt: Attempt,
  { agent, desk, timeoutMs }: AttemptPlace,
): Promise<Invocation> {
  const { context, task } = execution;
  const inputs = await readInputs(task.current().stages, attempt.stage.inputs ?? []);
  const prompt = writePrompt(execution, attempt, { agent, desk, timeoutMs, inputs });
  await desk.place(
    new Map([
      ['prompt.md', Buffer.from(prompt)],
      ...inputs.map(({ fileName, content }) => [`inputs/${fileName}`, content] as const),
      ...Object.entries(agent.files).map(([path, text]) => [`files/${path}`, Buffer.from(text)] as const),
    ]),
  );
  const isSandboxed = attempt.record.sandbox !== undefined;
  const invocation = planInvocation(agent, {
    prompt,
    desk: desk.seen,
    isSandboxed,
    callerEnvironment: context.environment,
    budgetUsd: findBudget(execution),
  });
  const environment = { ...invocation.environment, ...variablesOf(execution, attempt, timeoutMs) };
  return { ...invocation, environment };
}

function writePrompt(
  { context, task }: Execution,
  { stage, record, previous }: Attempt,
  { agent, desk, timeoutMs, inputs }: AttemptPlace & { readonly inputs: readonly StageInput[] },
): string {
  const { description, plan, stages } = task.current();
  const { inputDir, outputDir } = desk.seen;
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
    deadline: new Date(context.now() + timeoutMs).toISOString(),
    previous,
  });
}

/** What is left of the money. Who has nothing left is not started; a cent is for what was used since that was looked at. */
function findBudget({ task, budget }: Execution): number | undefined {
  const { costUsd } = task.current().plan.limits;
  return costUsd === undefined ? undefined : Math.max(costUsd - (budget.total().costUsd ?? 0), 0.01);
}

const variablesOf = ({ context, task }: Execution, { stage, number }: Attempt, timeoutMs: number) => ({
  CARREL_TASK_ID: task.current().id,
  CARREL_STAGE: stage.name,
  CARREL_ATTEMPT: String(number),
  CARREL_DEADLINE: new Date(context.now() + timeoutMs).toISOString(),
});
