import { stat } from 'node:fs/promises';
import { parseSize } from '../../domain/quantity/quantity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { SnapshotLimits } from '../../workspace/backend.js';
import type { Context } from '../context.js';

export interface SnapshotRules {
  readonly limits: SnapshotLimits;
  readonly keepDays: number;
}

/** The snapshot settings of a workspace; defaults when its repository is gone. */
export async function findSnapshotRules(
  context: Pick<Context, 'loadConfig'>,
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
