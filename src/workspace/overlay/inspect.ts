import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import type { Backend, FullInspection, Inspection, InspectOptions, SnapshotLimits } from '../backend.js';
import { measureDiskUsage } from '../files/directory-size.js';
import { presenceAlone } from '../location/presence.js';
import { ensureMounted } from './mount.js';
import { overlayOf } from './overlay-place.js';

/** Like worktrees, once mounted. Their size is that of their upper layer. */
export async function inspectOverlays(
  git: Git,
  worktrees: Backend,
  records: readonly WorkspaceRecord[],
  options: InspectOptions,
): Promise<Inspection[]> {
  const problems: (string | undefined)[] = [];
  for (const record of records) problems.push(await findProblem(git, record));
  const inspections = await worktrees.inspect(records, { ...options, size: false });
  return Promise.all(
    records.map((record, index) =>
      finish(record, inspections[index] as Inspection, problems[index], options),
    ),
  );
}

/** The same for one of them; undefined when it can't be mounted. */
export async function inspectOverlayFully(
  git: Git,
  worktrees: Backend,
  record: WorkspaceRecord,
  limits: SnapshotLimits,
): Promise<FullInspection | undefined> {
  if ((await findProblem(git, record)) !== undefined) return undefined;
  const full = await worktrees.inspectFully?.(record, limits, { size: false });
  if (!full) return undefined;
  return { ...full, inspection: await finish(record, full.inspection, undefined, { size: true }) };
}

/** One that can't be mounted, for example without permission, must not hide the others. */
async function findProblem(git: Git, record: WorkspaceRecord): Promise<string | undefined> {
  try {
    await ensureMounted(git, record);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function finish(
  record: WorkspaceRecord,
  inspection: Inspection,
  problem: string | undefined,
  { size, presenceOnly }: InspectOptions,
): Promise<Inspection> {
  if (problem !== undefined)
    return presenceAlone({ kind: 'replaced', found: `the empty mount point of an overlay (${problem})` });
  if (!size || presenceOnly || inspection.presence.kind !== 'present') return inspection;
  return { ...inspection, sizeBytes: await measureDiskUsage(overlayOf(record)) };
}
