import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { toBytePath } from '../../git/byte-path.js';
import { createInspectionMeter, INSPECTION_BUDGET } from '../../git/files/inspection-meter.js';
import { type Fingerprint, fingerprintFiles } from '../../git/files/work-tree-fingerprint.js';
import type { Context } from '../context.js';

/**
 * The files of a workspace as they are now, compared with those of its last checkpoint by stat alone. Undefined when there
 * are more than `most` of them. FILE_UNREADABLE, LOOK_TOO_LARGE.
 */
export async function detectChange(
  context: Pick<Context, 'backends' | 'sandboxes'>,
  record: WorkspaceRecord,
  most?: number,
): Promise<(Fingerprint & { readonly isChanged: boolean }) | undefined> {
  const { checkpoint, path } = record;
  if (most !== undefined && (checkpoint?.entries ?? 0) > most) return undefined;
  const fingerprint = await fingerprintFiles({
    root: path,
    besides: await gitDirsOf(context, record),
    apart: record.backend === 'jj' ? '.jj' : undefined,
    passedOver: new Set((checkpoint?.passedOver ?? []).map(toBytePath)),
    most,
    meter: createInspectionMeter(path, INSPECTION_BUDGET),
  });
  return fingerprint && { ...fingerprint, isChanged: fingerprint.hash !== checkpoint?.fingerprint };
}

/** Where HEAD and index are, also inside a sandbox. */
async function gitDirsOf(
  context: Pick<Context, 'backends' | 'sandboxes'>,
  record: WorkspaceRecord,
): Promise<string[]> {
  const place = context.backends.of(record.backend).workTree(record);
  const own = record.sandbox ? [(await context.sandboxes()).placeOf(record.id).gitDir] : [];
  return [...(place ? [place.gitDir] : []), ...own];
}
