import { createReader } from '../../agent/plan-invocation.js';
import { findPreset } from '../../agent/presets.js';
import { handOver } from '../../attempt/hand-over.js';
import type { Handoff } from '../../attempt/handoff/handoff.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import type { AgentRequest, EvalAgent } from '../eval-agent.js';
import { fingerprintOf } from './agent-fingerprint.js';
import { withAgentHandoff } from './agent-handoff.js';
import { agentVariables } from './agent-variables.js';
import { createPlainReader } from './plain-reader.js';
import { runProgram } from './run-program.js';

export interface ProgramOptions {
  /** The agent as it was requested. */
  readonly name: string;
  readonly agent: ResolvedAgent;
  readonly model: string | undefined;
  readonly version: string | null;
  /** Set for a program given by its path. */
  readonly content?: Buffer | undefined;
  /** The program itself, when it came from another machine: each attempt gets it in its input directory. */
  readonly carried?: Buffer | undefined;
  /** How its output is read: as lines of JSON or text, or as its settings say. */
  readonly reads: 'plain' | 'as-set';
}

/** An agent that is a program: a preset, a configured one, or a command. */
export function createProgramAgent(
  context: Pick<Context, 'now' | 'places' | 'environment' | 'redactor'>,
  options: ProgramOptions,
): EvalAgent {
  const { name, agent, model, version, content, reads } = options;
  const { name: _, ...settings } = agent;
  return {
    name,
    fingerprint: fingerprintOf({ ...settings, model, content: content?.toString('base64') }),
    version,
    needs: findNeeds(agent),
    source: { kind: 'program', agent, model, reads, content },
    attempt: request =>
      withAgentHandoff(context, request.environment, async handoff => {
        const invocation = await layOut(context, request, { ...options, handoff });
        const reader = reads === 'plain' ? createPlainReader() : createReader(agent);
        return runProgram(context, request, { invocation, reader, agent });
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

/** Its name in the input directory. */
export const CARRIED_PROGRAM = 'program';

const layOut = (
  { environment: callerEnvironment }: Pick<Context, 'environment'>,
  request: AgentRequest,
  { agent, model, carried, handoff }: ProgramOptions & { readonly handoff: Handoff },
) =>
  handOver(agent, handoff, {
    inputs: carried && new Map([[CARRIED_PROGRAM, carried]]),
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
