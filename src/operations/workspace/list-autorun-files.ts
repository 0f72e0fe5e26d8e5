import { closeSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCarrelError } from '../../domain/error/error.js';
import type { AutorunFile } from '../../domain/workspace/autorun-file.js';
import { AUTORUN_PLACES, findAutorunFiles } from '../../domain/workspace/autorun-files.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import { listTreeChanges } from '../../git/diff/tree-changes.js';
import { createPinner, type PinnedFile } from '../../git/files/pinned-file.js';
import type { Git } from '../../git/git.js';
import { findIndexed } from '../../git/index/indexed-paths.js';
import type { LandPlan } from '../../workspace/backend.js';
import type { Context } from '../context.js';

/** Files of a workspace that tools run automatically and that differ from its base; ignored ones last. */
export async function listAutorunFiles(
  context: Pick<Context, 'backends' | 'git'>,
  record: WorkspaceRecord,
): Promise<AutorunFile[]> {
  const { diffing } = context.backends.of(record.backend);
  if (!diffing) return [];
  try {
    const { changed } = await diffing.diff(record, 'name-only', () => {});
    return addIgnored(context, record, changed);
  } catch (error) {
    // The diff itself reports that it failed; this is only one line of a page.
    if (isCarrelError(error)) return [];
    throw error;
  }
}

/** What was changed since the base, and what git ignores. */
export async function addIgnored(
  context: Pick<Context, 'backends' | 'git'>,
  record: WorkspaceRecord,
  changed: readonly string[],
): Promise<AutorunFile[]> {
  return findAutorunFiles([...changed, ...(await listIgnored(context, record, new Set(changed)))]);
}

/** What landing brings to the branch. */
export async function listLandedAutorunFiles(
  { git }: Pick<Context, 'git'>,
  { commonDir }: WorkspaceRecord,
  { before, after }: LandPlan,
): Promise<AutorunFile[]> {
  if (commonDir === null) return [];
  const changes = await listTreeChanges(git, { gitDir: commonDir }, before, after);
  const present = changes.filter(change => change.after !== null);
  return findAutorunFiles(present.map(({ path }) => displayPath(path)));
}

/**
 * Files in the usual places that neither the diff nor the base has: git ignores them, but editors don't. Those that match the user's own
 * checkout were copied from there.
 */
async function listIgnored(
  { backends, git }: Pick<Context, 'backends' | 'git'>,
  record: WorkspaceRecord,
  changed: ReadonlySet<string>,
): Promise<string[]> {
  const { path, repository, commonDir, base } = record;
  if (commonDir === null || base.commit === null || path === repository) return [];
  const present = AUTORUN_PLACES.filter(place => !changed.has(place) && existsSync(join(path, place)));
  if (present.length === 0) return [];
  const place = backends.of(record.backend).workTree(record);
  // A file of the index that is not in the diff is in the base. One that was taken out of the index is ignored now.
  const indexed = place && !place.isForeign ? findIndexed(place.gitDir, present) : undefined;
  const known = indexed ?? (await listTracked(git, commonDir, base.commit, present));
  return present.filter(name => !known.has(name) && !isSameFile(path, repository, name));
}

async function listTracked(
  git: Git,
  gitDir: string,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const query = ['ls-tree', '-z', '--name-only', '--full-tree', commit, '--', ...paths];
  return new Set(await git.records(query, { gitDir }));
}

/** More than any such file has. */
const LONGEST = 1 << 20;

function isSameFile(workspace: string, repository: string, place: string): boolean {
  const file = openIfReadable(workspace, place);
  if (!file) return false;
  try {
    const own = file.bytes > LONGEST ? undefined : readIfThere(join(repository, place));
    return own !== undefined && readFileSync(file.descriptor).equals(own);
  } finally {
    closeSync(file.descriptor);
  }
}

/** What can't be read is listed: one such file must not hide the others. */
function openIfReadable(workspace: string, place: string): PinnedFile | undefined {
  try {
    return createPinner(workspace)(place);
  } catch (error) {
    if (isCarrelError(error, 'FILE_UNREADABLE')) return undefined;
    throw error;
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
