import { NO_USAGE } from '../../domain/add-usage.js';
import { formatDuration } from '../../domain/quantity.js';
import type { Usage } from '../../domain/usage.js';
import type { Context } from '../../operations/context.js';
import type { AgentAnswer, AgentFunction, AgentUsage, AgentWork } from '../../tools/agent-function.js';
import type { AgentRequest, AgentResult, EvalAgent } from '../eval-agent.js';
import { openAgentTools } from './agent-tools.js';
import { fingerprintOf } from './fingerprint.js';
import { loadAgentFunction } from './load-agent-function.js';
import { type UsageWatch, watchUsage } from './usage-watch.js';

/** An agent that is a function of a module, called in this process. */
export async function loadModuleAgent(
  context: Pick<Context, 'cwd' | 'now'>,
  name: string,
  model: string | undefined,
): Promise<EvalAgent> {
  const { file, agent, hash } = await loadAgentFunction(context.cwd, name);
  return {
    name: file,
    // Of the module itself; what it imports is not followed.
    fingerprint: fingerprintOf({ module: hash, model }),
    version: null,
    needs: { hosts: [], variables: [] },
    attempt: request => callAgent(context, request, { agent, model }),
  };
}

interface AgentCall {
  readonly agent: AgentFunction;
  readonly model: string | undefined;
}

/** A promise that does not settle in time is abandoned: nothing can end a function, but its tools refuse from then on. */
export async function callAgent(
  context: Pick<Context, 'now'>,
  request: AgentRequest,
  { agent, model }: AgentCall,
): Promise<AgentResult> {
  const limitMs = Math.max(1, request.deadline - context.now());
  const watch = watchUsage(request);
  const over = new AbortController();
  const signal = AbortSignal.any([watch.signal, over.signal]);
  const timer = setTimeout(() => over.abort(TIME_IS_UP), limitMs);
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
    return { ...explainEnd({ request, watch, signal, limitMs }, error), usage };
  } finally {
    clearTimeout(timer);
    over.abort(new Error('the attempt is over'));
    await toolbox.idle();
  }
}

const TIME_IS_UP = new Error('the time is up');

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

/** What a function says is not checked by a compiler: what is not as it should be counts as not said. */
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
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

function explainEnd(
  { request, watch, signal, limitMs }: Circumstances,
  error: unknown,
): Omit<AgentResult, 'usage'> {
  const over = watch.problem();
  if (over) return { ...endedBy(watch, 'failed'), message: over.text };
  if (request.signal.aborted) return { ...endedBy(watch, 'cancelled'), message: null };
  if (signal.reason === TIME_IS_UP) {
    const message = `it did not end within ${formatDuration(limitMs)}; its promise was abandoned, and its tools refuse`;
    return { ...endedBy(watch, 'timed-out'), message };
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  request.onLine('stderr', stack ?? message);
  return { ...endedBy(watch, 'failed'), message: `it threw: ${message.slice(0, MOST_CHARACTERS)}` };
}

const MOST_CHARACTERS = 4000;
