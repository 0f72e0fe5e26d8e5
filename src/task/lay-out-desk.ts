import type { Invocation } from '../agent/invocation.js';
import { planInvocation } from '../agent/plan-invocation.js';
import type { ResolvedAgent } from '../domain/task.js';
import { composePrompt } from './compose-prompt.js';
import type { Desk } from './desk.js';
import type { Execution } from './execution.js';
import { outputFileName } from './output-file-name.js';
import { readInputs } from './read-inputs.js';
import type { Attempt } from './run-attempt.js';

/** Places what the agent reads on its desk; gives how it is to be called. */
export async function layOutDesk(
  execution: Execution,
  attempt: Attempt,
  { agent, desk, timeoutMs }: { agent: ResolvedAgent; desk: Desk; timeoutMs: number },
): Promise<Invocation> {
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
  const isSandboxed = record.sandbox !== undefined;
  const invocation = planInvocation(agent, { prompt, desk: desk.seen, isSandboxed });
  const environment = { ...invocation.environment, ...variablesOf(execution, attempt, timeoutMs) };
  return { ...invocation, environment };
}

const variablesOf = ({ context, task }: Execution, { stage, number }: Attempt, timeoutMs: number) => ({
  CARREL_TASK_ID: task.current().id,
  CARREL_STAGE: stage.name,
  CARREL_ATTEMPT: String(number),
  CARREL_DEADLINE: new Date(context.now() + timeoutMs).toISOString(),
});
