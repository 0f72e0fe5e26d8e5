import { findPreset } from '../agent/presets.js';
import type { ResolvedAgent } from '../domain/task.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { runCommand } from '../operations/run-command.js';

/**
 * Removes what an agent's program keeps for itself in the working tree, so that it is not committed as work. Only what
 * git does not track goes, and what it ignores stays, as it is not committed anyway. A directory of the user's own is
 * left as it is, and so is one without a git of its own: git would take whatever repository lies above it.
 */
export async function clearLitter(
  context: Context,
  record: WorkspaceRecord,
  { program }: Pick<ResolvedAgent, 'program'>,
  signal?: AbortSignal,
): Promise<void> {
  const litter = program.kind === 'preset' ? findPreset(program.preset).litter : undefined;
  if (!litter || record.backend === 'direct') return;
  if (!context.backends[record.backend].workTree(record)) return;
  const paths = litter.map(path => `:(top)${path}`);
  const command = ['git', 'clean', '--force', '-d', '--quiet', '--', ...paths];
  await runCommand(context, record, { command, endsLeftovers: false, signal });
}
