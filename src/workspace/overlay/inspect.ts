import { isCarrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import type { Backend, Inspection, InspectOptions } from '../backend.js';
import { presenceAlone } from '../presence.js';
import { measureDirectory } from '../size.js';
import { ensureMounted } from './mount.js';
import { overlayOf } from './place.js';

/** As worktrees, once they are mounted. Their size is that of their own layer. */
export async function inspectOverlays(
  git: Git,
  worktrees: Backend,
  records: readonly WorkspaceRecord[],
  options: InspectOptions,
): Promise<Inspection[]> {
  const problems: (string | undefined)[] = [];
  for (const record of records) problems.push(await findProblem(git, record));
  const looks = await worktrees.inspect(records, { ...options, size: false });
  return Promise.all(
    records.map((record, index) => finish(record, looks[index] as Inspection, problems[index], options)),
  );
}

/** One that can't be mounted, because whoever asks has not the right to, must not hide all others. */
async function findProblem(git: Git, record: WorkspaceRecord): Promise<string | undefined> {
  try {
    await ensureMounted(git, record);
    return undefined;
  } catch (error) {
    if (isCarrelError(error, 'OVERLAY_MOUNT_FAILED')) return error.message;
    throw error;
  }
}

async function finish(
  record: WorkspaceRecord,
  look: Inspection,
  problem: string | undefined,
  { size, presenceOnly }: InspectOptions,
): Promise<Inspection> {
  if (problem !== undefined)
    return presenceAlone({ kind: 'replaced', found: `the empty place of an overlay (${problem})` });
  if (!size || presenceOnly || look.presence.kind !== 'present') return look;
  return { ...look, sizeBytes: await measureDirectory(overlayOf(record)) };
}
