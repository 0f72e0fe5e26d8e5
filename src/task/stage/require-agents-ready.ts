import { findPreset } from '../../agent/presets.js';
import { carrelError } from '../../domain/error/error.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import {
  explainMissing,
  findMissingProgram,
  findProgramName,
} from '../../operations/task/missing-agent-program.js';
import type { Execution } from '../execution.js';

/**
 * Reports missing requirements of agents before the first stage, not after an hour of work. PROGRAM_NOT_INSTALLED,
 * AGENT_KEY_MISSING. On the host an agent may have a login of the user's, so that a key is not required.
 */
export async function requireAgentsReady(execution: Execution, workspace: WorkspaceRecord): Promise<void> {
  for (const agent of neededAgents(execution)) {
    if (workspace.sandbox) requireKey(execution, agent);
    const missing = workspace.sandbox
      ? await findMissingInside(execution, workspace, agent)
      : findMissingProgram(execution.context, agent);
    if (missing !== undefined) throw explainMissing(agent, missing, workspace.sandbox !== undefined);
  }
}

/** The agents of the remaining stages. */
function neededAgents({ task }: Execution): ResolvedAgent[] {
  const { stages, plan } = task.current();
  const names = stages.filter(({ status }) => status !== 'succeeded').map(({ agent }) => agent);
  return [...new Set(names)].flatMap(name => plan.agents[name] ?? []);
}

function requireKey({ context }: Execution, { name, program, environment }: ResolvedAgent): void {
  if (program.kind !== 'preset') return;
  const { keys } = findPreset(program.preset);
  const isSet = (key: string) => Boolean(environment[key] ?? context.environment[key]);
  if (keys.length === 0 || keys.some(isSet)) return;
  throw carrelError('AGENT_KEY_MISSING', { agent: name, variables: keys });
}

/** A path is resolved in the working tree, which earlier stages may still change. */
async function findMissingInside(
  { context, signal }: Execution,
  workspace: WorkspaceRecord,
  agent: ResolvedAgent,
): Promise<string | undefined> {
  const program = findProgramName(agent);
  if (program === undefined) return undefined;
  const { exitCode } = await openEnvironment(context, workspace).run({
    command: ['sh', '-c', 'command -v "$1"', 'carrel', program],
    environment: agent.environment,
    endsLeftovers: false,
    signal,
  });
  return exitCode === 0 || signal.aborted ? undefined : program;
}
