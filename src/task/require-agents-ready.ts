import { findPreset } from '../agent/presets.js';
import { carrelError } from '../domain/error.js';
import type { ResolvedAgent } from '../domain/task.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { explainMissing, findMissingProgram, findProgramName } from '../operations/missing-program.js';
import { runCommand } from '../operations/run-command.js';
import type { Execution } from './execution.js';

/**
 * What agents lack is told before the first stage, not after an hour of others' work. PROGRAM_NOT_INSTALLED,
 * AGENT_KEY_MISSING. On the host an agent may have a login of the user's, so that a key is not asked for.
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

/** Those of stages that are yet to run. */
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

/** A path is found, or not, from within the working tree, which the stages may yet change. */
async function findMissingInside(
  { context, signal }: Execution,
  workspace: WorkspaceRecord,
  agent: ResolvedAgent,
): Promise<string | undefined> {
  const program = findProgramName(agent);
  if (program === undefined) return undefined;
  const { exitCode } = await runCommand(context, workspace, {
    command: ['sh', '-c', 'command -v "$1"', 'carrel', program],
    environment: agent.environment,
    endsLeftovers: false,
    signal,
  });
  return exitCode === 0 || signal.aborted ? undefined : program;
}
