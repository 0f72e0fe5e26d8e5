import { type CarrelError, carrelError, isCarrelError } from '../../domain/error/error.js';
import type { IsolationMode } from '../../domain/isolation.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import { findStrongerIsolation } from '../../domain/workflow/stage-isolation.js';
import { dependenciesOf } from '../../domain/workflow/stage-order.js';
import type { WorkflowDefinition, WorkflowStage } from '../../domain/workflow/workflow.js';
import { type AgentRequest, listAgentNames, resolveAgent } from '../agents/resolve-agents.js';

export interface WorkflowToCheck {
  readonly request: AgentRequest;
  /** The isolation mode that its tasks request. */
  readonly mode: IsolationMode;
  /** The missing program of an agent; undefined when it is installed, or when this is unknown. */
  readonly findMissingProgram: (agent: ResolvedAgent) => string | undefined;
  /** Further warnings about the resolved agents. */
  readonly warnOfAgents?: ((agents: readonly ResolvedAgent[]) => readonly string[]) | undefined;
}

export interface WorkflowCheck {
  /** Why its tasks cannot run. */
  readonly problems: readonly CarrelError[];
  readonly warnings: readonly string[];
}

/** Finds the problems of a workflow that are known before it runs. Its file is already validated. */
export function checkWorkflow(wanted: WorkflowToCheck): WorkflowCheck {
  const { request, mode, findMissingProgram } = wanted;
  const { workflow } = request;
  const { agents, problems } = tryAgents(request);
  return {
    problems: [...problems, ...findMissingInputs(workflow)],
    warnings: [
      ...warnOfPrograms(agents, findMissingProgram),
      ...warnOfSharing(workflow, mode),
      ...warnOfWeakerStages(workflow, mode),
      ...(wanted.warnOfAgents?.(agents) ?? []),
    ],
  };
}

function tryAgents(request: AgentRequest) {
  const agents: ResolvedAgent[] = [];
  // By message: all roles have the same problem when the default agent has one.
  const problems = new Map<string, CarrelError>();
  for (const name of listAgentNames(request.workflow)) {
    try {
      agents.push(resolveAgent(request, name));
    } catch (error) {
      if (!isCarrelError(error)) throw error;
      problems.set(error.message, error);
    }
  }
  return { agents, problems: problems.values() };
}

function findMissingInputs({ name, stages }: WorkflowDefinition): CarrelError[] {
  return stages.flatMap(stage => {
    const before = listBefore(stages, stage.name);
    const known = stages.filter(other => before.has(other.name)).flatMap(other => other.outputs ?? []);
    const missing = (stage.inputs ?? []).filter(input => !known.includes(input));
    return missing.map(input =>
      carrelError('MISSING_INPUT', { workflow: name, stage: stage.name, input, known }),
    );
  });
}

/** All stages that must have succeeded before this one starts. */
function listBefore(stages: readonly WorkflowStage[], name: string): Set<string> {
  const dependencies = dependenciesOf(stages);
  const before = new Set<string>();
  const add = (dependency: string) => {
    if (before.has(dependency)) return;
    before.add(dependency);
    dependencies.get(dependency)?.forEach(add);
  };
  dependencies.get(name)?.forEach(add);
  return before;
}

function warnOfPrograms(
  agents: readonly ResolvedAgent[],
  findMissingProgram: WorkflowToCheck['findMissingProgram'],
): string[] {
  const missing = agents.map(agent => ({ name: agent.name, program: findMissingProgram(agent) }));
  const programs = new Set(missing.flatMap(({ program }) => program ?? []));
  return [...programs].map(program => {
    const names = missing.filter(each => each.program === program).map(each => each.name);
    return `the program ${program} is not on PATH; needed by the agent${names.length > 1 ? 's' : ''} ${names.join(', ')}`;
  });
}

function warnOfWeakerStages({ stages }: WorkflowDefinition, mode: IsolationMode): string[] {
  return stages.flatMap(({ name, isolation }) =>
    isolation === undefined || isolation === mode || findStrongerIsolation({ isolation }, mode)
      ? []
      : [
          `the stage ${name} requests isolation ${isolation}, which is weaker than ${mode} of its task; ${mode} is used`,
        ],
  );
}

function warnOfSharing({ stages }: WorkflowDefinition, mode: IsolationMode): string[] {
  if (mode !== 'shared') return [];
  const names = stages.map(stage => stage.name);
  const before = new Map(names.map(name => [name, listBefore(stages, name)]));
  const together = names.filter(name =>
    names.some(other => other !== name && !before.get(name)?.has(other) && !before.get(other)?.has(name)),
  );
  if (together.length === 0) return [];
  return [
    `the stages ${together.join(', ')} have no order between them, but share one directory with isolation shared; they run one after another`,
  ];
}
