import { SHIPPED_DATASETS } from '../../../batch/datasets/load-dataset.js';
import { AgentNameSchema } from '../../../domain/agent/agent.js';
import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import { nearest } from '../../../domain/text/nearest-word.js';
import { requireAllowedDirectory } from '../repositories/allowed-directory.js';
import type { ServerContext } from '../server-context.js';

/**
 * A dataset that a request may use: one that ships with Carrel, or an absolute path under the roots. The error is the same
 * for a path elsewhere and for a missing one. UNKNOWN_DATASET.
 */
export async function requireAllowedDataset(server: ServerContext, given: string): Promise<string> {
  const known: readonly string[] = SHIPPED_DATASETS;
  if (known.includes(given)) return given;
  const path = /^\/\P{Cc}*$/u.test(given)
    ? await requireAllowedDirectory(server, given).catch(ignoreRefusal)
    : undefined;
  if (path !== undefined) return path;
  throw carrelError('UNKNOWN_DATASET', { name: given, known, nearest: nearest(given, known) });
}

function ignoreRefusal(error: unknown): undefined {
  if (!isCarrelError(error, 'REPOSITORY_NOT_ALLOWED', 'NOT_A_REPOSITORY')) throw error;
}

/** On the command line an agent may be a module or a shell command; a request may only name a known agent. INVALID_INPUT. */
export function requireAgentName(given: string): string {
  if (AgentNameSchema.safeParse(given).success) return given;
  throw carrelError('INVALID_INPUT', {
    what: 'agent',
    found: JSON.stringify(given),
    expected: 'oracle, nop, a preset, or the name of an agent in the configuration',
  });
}
