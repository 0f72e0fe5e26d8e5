import { type Deadline, startDeadline, timeLeft } from '../../attempt/limits/deadline.js';
import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import type { Context } from '../../operations/context.js';
import type { AgentAnswer, AgentFunction, AgentUsage, AgentWork } from '../../tools/agent-function.js';
import { fingerprintOf } from '../agent-program/agent-fingerprint.js';
import { type UsageWatch, watchUsage } from '../agent-program/usage-watch.js';
import type { AgentRequest, AgentResult, EvalAgent } from '../eval-agent.js';
import { openAgentTools } from './agent-tools.js';
import { loadAgentFunction } from './load-agent-function.js';

/** An agent that is a function exported by a module; it is called in this process. */
export async function loadModuleAgent(
  context: Pick<Context, 'cwd' | 'now'>,
  name: string,
  model: string | undefined,
): Promise<EvalAgent> {
  const { file, agent, content, hash } = await loadAgentFunction(context.cwd, name);
  return {
    name: file,
    // Hash of the module itself; its imports are not included.
    fingerprint: fingerprintOf({ module: hash, model }),
    version: null,
    needs: { hosts: [], variables: [] },
    source: { kind: 'module', content, model },
    attempt: request => callAgent(context, request, { agent, model }),
  };
}

/** An agent that is a function of the program that runs the batch. */
export function createFunctionAgent(
  context: Pick<Context, 'now'>,
  agent: AgentFunction,
  model: string | undefined,
): EvalAgent {
  return {
    // No named agent can have this id: a run of it is not resumed with another agent that has the function's name.
    name: `function:${/^\w+$/.test(agent.name) ? agent.name : 'anonymous'}`,
    // Hash of the function's source only; what it calls is not included.
    fingerprint: fingerprintOf({ function: agent.toString(), model }),
    version: null,
    needs: { hosts: [], variables: [] },
    attempt: request => callAgent(context, request, { agent, model }),
  };
}

interface AgentCall {
  readonly agent: AgentFunction;
  readonly model: string | undefined;
}

/** A promise that does not settle in time is abandoned: a function cannot be killed, but its tools refuse from then on. */
async function callAgent(
  context: Pick<Context, 'now'>,
  request: AgentRequest,
  { agent, model }: AgentCall,
): Promise<AgentResult> {
  const limitMs = timeLeft(request.deadline, context.now());
  const watch = watchUsage(request);
  const over = new AbortController();
  const deadline = startDeadline(limitMs, context.now(), new Error('the time is up'));
  const signal = AbortSignal.any([watch.signal, deadline.signal, over.signal]);
  const toolbox = openAgentTools(request, { signal, model });
  let usage: Usage = NO_USAGE;
  const report = (told: AgentUsage) => {
    usage = toUsage(told);
    watch.report(usage);
  };
  try {
    const work = { ...describeWork(request, report), model, tools: toolbox.tools, signal };
    const answer = toAnswer(await untilAborted(signal, agent(work)));
    if (answer.usage) report(answer.usage);
    return { ...endedBy(watch, 'done'), usage, message: watch.problem()?.text ?? answer.message ?? null };
  } catch (error) {
    return { ...explainEnd({ request, watch, deadline, limitMs }, error), usage };
  } finally {
    deadline.stop();
    over.abort(new Error('the attempt is over'));
    await toolbox.idle();
  }
}

const describeWork = (
  { item, environment, deadline, budgetUsd, onLine }: AgentRequest,
  reportUsage: AgentWork['reportUsage'],
) => ({
  task: { id: item.id, description: item.description },
  workingDirectory: environment.workingDirectory,
  deadline,
  budgetUsd,
  reportUsage,
  log: (text: string) => {
    for (const line of String(text).split('\n')) onLine('stdout', line);
  },
});

function untilAborted(signal: AbortSignal, work: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The result of a function is not type-checked: values of the wrong type are ignored. */
function toAnswer(answer: unknown): AgentAnswer {
  if (typeof answer === 'string') return { message: answer };
  const { message, usage } = (answer ?? {}) as { message?: unknown; usage?: unknown };
  return {
    ...(typeof message === 'string' && { message }),
    ...(typeof usage === 'object' && usage !== null && { usage }),
  };
}

function toUsage({ inputTokens, outputTokens, costUsd }: AgentUsage): Usage {
  const count = (value: unknown) => (typeof value === 'number' && value > 0 ? Math.round(value) : 0);
  const cost = typeof costUsd === 'number' && costUsd >= 0 ? costUsd : null;
  return { inputTokens: count(inputTokens), outputTokens: count(outputTokens), costUsd: cost };
}

type Ended = Omit<AgentResult, 'usage' | 'message'>;

function endedBy(watch: UsageWatch, ending: AgentResult['ending']): Ended {
  const problem = watch.problem();
  const common = { exitCode: null, findings: [] };
  return problem ? { ...common, ending: 'failed', problem } : { ...common, ending };
}

interface Circumstances {
  readonly request: AgentRequest;
  readonly watch: UsageWatch;
  readonly deadline: Deadline;
  readonly limitMs: number;
}

function explainEnd(
  { request, watch, deadline, limitMs }: Circumstances,
  error: unknown,
): Omit<AgentResult, 'usage'> {
  const over = watch.problem();
  if (over) return { ...endedBy(watch, 'failed'), message: over.text };
  if (request.signal.aborted) return { ...endedBy(watch, 'cancelled'), message: null };
  if (deadline.signal.aborted) {
    const message = `it did not finish within ${formatDuration(limitMs)}; its promise was abandoned and its tools are disabled`;
    return { ...endedBy(watch, 'timed-out'), message };
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  request.onLine('stderr', stack ?? message);
  return { ...endedBy(watch, 'failed'), message: `it threw: ${message.slice(0, MOST_CHARACTERS)}` };
}

const MOST_CHARACTERS = 4000;
