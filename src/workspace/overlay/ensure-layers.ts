import { basename, dirname } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { takeLayers } from '../template/overlay-layers.js';
import { releaseTemplate, templateOfLayer, templatesOf } from '../template/template-place.js';
import { areLayersWhole } from '../template/template-proof.js';
import { findOverlay, overlayOf, replaceLower, rootOf } from './overlay-place.js';

/**
 * Makes sure that a workspace which is not mounted has intact layers below it. Layers damaged by a power cut are replaced
 * by others of the same commit: the kernel matches files by path. OVERLAY_MOUNT_FAILED.
 */
export async function ensureLayersIntact(git: Git, record: WorkspaceRecord): Promise<void> {
  const lower = (await findOverlay(record))?.lower;
  const template = lower && findTemplateOf(record, lower);
  if (!lower || !template) return;
  try {
    const commonDir = record.commonDir as string;
    if (!(await areLayersWhole(git, { commonDir }, lower))) await replace(git, record, template);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw carrelError('OVERLAY_MOUNT_FAILED', { path: record.path, problem }, error);
  }
}

/** Undefined for a workspace over nothing. */
function findTemplateOf(record: WorkspaceRecord, lower: string): string | undefined {
  // Of any repository: this one may have been moved since, which gives it another id.
  const parent = dirname(templatesOf({ root: rootOf(record), repositoryId: record.repositoryId }));
  const [top = ''] = lower.split(':');
  return top.startsWith(`${parent}/`) ? templateOfLayer(top) : undefined;
}

/** The commit is the template's: the base of a workspace may have changed since. */
async function replace(git: Git, record: WorkspaceRecord, former: string): Promise<void> {
  const { id, repositoryId, repository } = record;
  const [commit = ''] = basename(former).split('-');
  const request = { root: rootOf(record), repositoryId, repository, commonDir: record.commonDir as string };
  const layers = await takeLayers(git, { ...request, commit }, { id, path: overlayOf(record) });
  await replaceLower(record, layers.lower);
  if (layers.directory !== former) await releaseTemplate(former, id);
}
