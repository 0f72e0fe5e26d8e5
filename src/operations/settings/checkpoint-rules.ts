import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';

export interface CheckpointRules {
  /** Between two checkpoints while a command runs. */
  readonly intervalMs: number;
  /** Between two checkpoints in any case. */
  readonly pauseMs: number;
  /** How many are kept of each workspace. */
  readonly kept: number;
}

/** An agent may run a command every second; changes in this many milliseconds are saved a little later. */
const PAUSE_MS = 10_000;

/**
 * The configured checkpoints of a workspace; undefined when there are none. Not for the user's own files, and CARREL_CHECKPOINTS=off is for
 * users who can't write the configuration.
 */
export async function findCheckpointRules(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'environment' | 'loadConfig'>,
  record: Pick<WorkspaceRecord, 'backend' | 'repository'>,
): Promise<CheckpointRules | undefined> {
  const { ownsFiles, snapshots } = context.backends.of(record.backend);
  if (!ownsFiles || !snapshots || context.store.isReadOnly) return undefined;
  if (context.environment.CARREL_CHECKPOINTS === 'off') return undefined;
  // For batches only the patch matters.
  if (record.repository.startsWith(`${context.places.cacheDir}/`)) return undefined;
  // A repository can't change this.
  const { config } = await context.loadConfig(null);
  const { checkpoints, checkpointMinutes, checkpointsKept: kept } = config.snapshots;
  if (checkpoints === 'off') return undefined;
  const intervalMs = Math.ceil(checkpointMinutes * 60_000);
  return { intervalMs, pauseMs: Math.min(PAUSE_MS, intervalMs), kept };
}
