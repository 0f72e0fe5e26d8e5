import { stat } from 'node:fs/promises';
import { parseSize } from '../domain/quantity.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { SnapshotLimits } from '../workspace/backend.js';
import type { Context } from './context.js';

export interface SnapshotRules {
  readonly limits: SnapshotLimits;
  readonly keepDays: number;
}

/** What the configuration says about snapshots of a workspace; a repository that is gone has none to say. */
export async function findSnapshotRules(
  context: Context,
  record: Pick<WorkspaceRecord, 'repository'>,
): Promise<SnapshotRules> {
  const isThere = await stat(record.repository).then(
    () => true,
    () => false,
  );
  const { config } = await context.loadConfig(isThere ? record.repository : null);
  const { ignoredLimit, regenerable, keepDays } = config.snapshots;
  return { limits: { ignoredBytes: parseSize(ignoredLimit), regenerable }, keepDays };
}
