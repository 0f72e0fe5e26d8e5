import { composeAgent, resolveAgent } from '../../config/agents/resolve-agents.js';
import { carrelError } from '../../domain/error/error.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { Context } from '../../operations/context.js';
import { locateRepository } from '../../operations/repository/locate-repository.js';
import { type Definitions, loadDefinitions } from '../../operations/task/define-task.js';
import { listAgentLines } from '../../operations/task/task-commands.js';
import { requireTaskTrust } from '../../operations/trust/trust.js';

export interface ConfiguredOptions {
  readonly repositoryRoot: string | null;
  readonly trust?: boolean | undefined;
}

/** A preset, or an agent from the user's or the repository's files. The user must have approved what a repository runs. */
export async function findConfiguredAgent(
  context: Context,
  name: string,
  { repositoryRoot, trust }: ConfiguredOptions,
): Promise<ResolvedAgent> {
  const { loaded, known } = await loadDefinitions(context, repositoryRoot);
  requireKnown(known, name);
  const workflow = {
    name: 'eval',
    description: '',
    stages: [{ name: 'attempt', agent: name }],
  };
  const request = { workflow, known, usual: loaded.config.tasks.agent };
  if (repositoryRoot !== null && !trust) {
    const lines = listAgentLines(composeAgent(request, name).parts);
    await requireTaskTrust(context, await locateRepository(context, repositoryRoot), lines);
  }
  return resolveAgent(request, name);
}

function requireKnown({ byName, broken }: Definitions['known'], name: string): void {
  if (byName.has(name) || broken.has(name)) return;
  const known = ['oracle', 'nop', ...byName.keys()].sort();
  throw carrelError('UNKNOWN_AGENT', { name, where: '--agent', known, nearest: nearest(name, known) });
}
