import { planInvocation } from '../../agent/plan-invocation.js';
import { findPreset } from '../../agent/presets.js';
import type { ResultReader } from '../../agent/result-reader.js';
import type { ResolvedAgent } from '../../domain/task.js';
import type { Context } from '../../operations/context.js';
import type { AgentRequest, EvalAgent } from '../eval-agent.js';
import { type AgentDesk, withAgentDesk } from './agent-desk.js';
import { agentVariables } from './agent-variables.js';
import { composeEvalPrompt } from './compose-eval-prompt.js';
import { fingerprintOf } from './fingerprint.js';
import { runProgram } from './run-program.js';

export interface ProgramOptions {
  /** As it was asked for. */
  readonly name: string;
  readonly agent: ResolvedAgent;
  readonly model: string | undefined;
  readonly version: string | null;
  /** Of a program that is known by its path. */
  readonly content?: Buffer | undefined;
  readonly createReader: () => ResultReader;
}

/** An agent that is a program: a preset, a configured one, or a command. */
export function createProgramAgent(context: Context, options: ProgramOptions): EvalAgent {
  const { name, agent, model, version, content, createReader } = options;
  const { name: _, ...settings } = agent;
  return {
    name,
    fingerprint: fingerprintOf({ ...settings, model, content: content?.toString('base64') }),
    version,
    needs: findNeeds(agent),
    attempt: request =>
      withAgentDesk(context, request.environment, async desk => {
        const invocation = await layOut(context, request, { ...options, desk });
        return runProgram(context, request, { invocation, reader: createReader(), agent });
      }),
  };
}

function findNeeds({ program, hosts, passEnvironment }: ResolvedAgent): EvalAgent['needs'] {
  const preset = program.kind === 'preset' ? findPreset(program.preset) : undefined;
  return {
    hosts: [...(preset?.hosts ?? []), ...hosts],
    variables: [...(preset?.keys ?? []), ...(preset?.variables ?? []), ...passEnvironment],
  };
}

async function layOut(
  { environment: callerEnvironment }: Pick<Context, 'environment'>,
  request: AgentRequest,
  { agent, model, desk }: ProgramOptions & { readonly desk: AgentDesk },
) {
  const prompt = composeEvalPrompt(request, agent.instructions);
  const files = Object.entries(agent.files).map(([path, text]) => [`files/${path}`, text] as const);
  await desk.place(new Map([['prompt.md', prompt], ...files]));
  const { budgetUsd, environment } = request;
  const { isSandboxed } = environment;
  const invocation = planInvocation(agent, { prompt, desk, isSandboxed, callerEnvironment, budgetUsd });
  return { ...invocation, environment: { ...invocation.environment, ...agentVariables(request, model) } };
}
