import { findPreset } from '../agent/presets.js';
import type { Command } from '../domain/command/command.js';
import type { Environment } from '../domain/command/environment.js';
import type { ResolvedAgent } from '../domain/task/task.js';

/**
 * Removes the agent program's own files from the working tree, so that they do not count as work. Only untracked
 * files are removed, and ignored ones stay, because they are not part of the work anyway.
 */
export async function removeAgentLeftovers(
  environment: Environment,
  { program }: Pick<ResolvedAgent, 'program'>,
  options: Pick<Command, 'timeoutMs' | 'signal' | 'endsLeftovers'> = {},
): Promise<void> {
  const leftovers = program.kind === 'preset' ? findPreset(program.preset).leftovers : undefined;
  if (!leftovers) return;
  const paths = leftovers.map(path => `:(top)${path}`);
  await environment.run({
    command: ['git', 'clean', '--force', '-d', '--quiet', '--', ...paths],
    ...options,
  });
}
