import { findPreset } from '../../agent/presets.js';
import type { ResultReader } from '../../agent/result-reader.js';
import { handOver } from '../../attempt/hand-over.js';
import type { Handoff } from '../../attempt/handoff/handoff.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import type { AgentRequest, EvalAgent } from '../eval-agent.js';
import { fingerprintOf } from './agent-fingerprint.js';
import { withAgentHandoff } from './agent-handoff.js';
import { agentVariables } from './agent-variables.js';
import { runProgram } from './run-program.js';

export interface ProgramOptions {
  /** The agent as it was requested. */
  readonly name: string;
  readonly agent: ResolvedAgent;
  readonly model: string | undefined;
  readonly version: string | null;
  /** Set for a program given by its path. */
  readonly content?: Buffer | undefined;
  readonly createReader: () => ResultReader;
}

/** An agent that is a program: a preset, a configured one, or a command. */
export function createProgramAgent(
  context: Pick<Context, 'now' | 'places' | 'environment' | 'redactor'>,
  options: ProgramOptions,
): EvalAgent {
  const { name, agent, model, version, content, createReader } = options;
  const { name: _, ...settings } = agent;
  return {
    name,
    fingerprint: fingerprintOf({ ...settings, model, content: content?.toString('base64') }),
    version,
    needs: findNeeds(agent),
    attempt: request =>
      withAgentHandoff(context, request.environment, async handoff => {
        const invocation = await layOut(context, request, { ...options, handoff });
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

const layOut = (
  { environment: callerEnvironment }: Pick<Context, 'environment'>,
  request: AgentRequest,
  { agent, model, handoff }: ProgramOptions & { readonly handoff: Handoff },
) =>
  handOver(agent, handoff, {
    prompt: composeEvalPrompt(request, agent.instructions),
    variables: agentVariables(request, model),
    isSandboxed: request.environment.isSandboxed,
    callerEnvironment,
    budgetUsd: request.budgetUsd,
  });

/** The prompt of a program that works on a task. */
function composeEvalPrompt(
  { item, environment, deadline, budgetUsd }: AgentRequest,
  instructions: string | null,
): string {
  const rules = [
    `Work in ${environment.workingDirectory}, the current directory. Changes outside it do not count.`,
    'Everything in it when you finish is your answer, committed or not.',
    ...(environment.isSandboxed
      ? ['You are in a sandbox: most of the machine is hidden and the network may be blocked.']
      : []),
    'No one can answer questions: make reasonable decisions yourself.',
    `Finish before ${new Date(deadline).toISOString()}: you are stopped at that time.`,
    ...(budgetUsd === undefined
      ? []
      : [`Use less than ${budgetUsd} US dollars: you are stopped when you reach it.`]),
  ];
  return [
    ...(instructions?.trim() ? [`# Your role\n\n${instructions.trim()}\n`] : []),
    `# The task\n\n${item.description.trim()}\n`,
    `# Rules\n\n${rules.map(rule => `- ${rule}`).join('\n')}\n`,
  ].join('\n');
}
