import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import type { Git } from '../../git/git.js';
import { markOversized } from '../../git/index/oversized-entries.js';
import { copyKeepingTime } from '../../git/index/scratch-index.js';
import { clearDoubtfulStats } from '../../git/index/unseen-edits.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import { requireCommonDir } from './jj-place.js';

export interface ViewRequest {
  /** The git directory that jj keeps the commits in. */
  readonly commonDir: string;
  /** What the files are compared with; null for nothing. */
  readonly head: string | null;
  /** Where the files of the workspace are. */
  readonly files: string;
  /** As in git/work-tree-place.ts. */
  readonly isForeign: boolean;
}

/** The files of a workspace, where they are or at `files`. */
export const viewOf = (
  record: WorkspaceRecord,
  head: string | null,
  files: string = record.path,
): ViewRequest => ({
  commonDir: requireCommonDir(record),
  head,
  files,
  isForeign: record.sandbox !== undefined,
});

/**
 * Runs `action` with the files of a jj workspace as git sees them, through a temporary git directory whose HEAD is `head`
 * and whose index matches it exactly. So everything that Carrel does with a work tree (untracked and ignored files,
 * snapshots, patches) works here too, also for what jj leaves out: names that are not UTF-8, new files above its size
 * limit. Neither jj nor the user's git sees any of it.
 */
export async function withView<T>(
  git: Git,
  temporaryRoot: string,
  request: ViewRequest,
  action: (place: WorkTreePlace) => Promise<T>,
): Promise<T> {
  return withScratchDirectory(temporaryRoot, async scratch => {
    const { commonDir, head, files, isForeign } = request;
    const place = { commonDir, gitDir: join(scratch, 'git'), workTree: files, apart: '.jj', isForeign };
    await mkdir(place.gitDir);
    await writeFile(join(place.gitDir, 'commondir'), `${commonDir}\n`);
    await writeFile(join(place.gitDir, 'HEAD'), head === null ? 'ref: refs/carrel/nothing\n' : `${head}\n`);
    await fillIndex(git, place, head, scratch);
    return action(place);
  });
}

/**
 * Starts from the index of the last inspection, because it knows files by their times: without it git would read every
 * file. Kept with the files, so that it moves with them; among foreign files it could not be trusted.
 */
async function fillIndex(
  git: Git,
  place: WorkTreePlace,
  head: string | null,
  scratch: string,
): Promise<void> {
  if (head === null) return;
  const index = join(place.gitDir, 'index');
  const cache = join(place.workTree, '.jj', 'carrel-index');
  const at = { gitDir: place.gitDir, cwd: scratch };
  if (!place.isForeign) {
    await copyKeepingTime(cache, index);
    const indexed = { ...at, workTree: place.workTree, indexFile: index };
    // A cache that git cannot read is ignored.
    await clearDoubtfulStats(git, indexed, cache).catch(() => rm(index, { force: true }));
  }
  await git.run(['read-tree', '--reset', head], at);
  if (place.isForeign) return;
  markOversized(index, place.workTree);
  const refresh = ['update-index', '-q', '--ignore-submodules', '--refresh'];
  await git.run(refresh, {
    gitDir: place.gitDir,
    workTree: place.workTree,
    cwd: scratch,
    answers: [0, 1, 128],
  });
  await keepIndex(index, cache, scratch);
}

/** Only a cache for the next inspection: skipped when the directory is gone or not writable. */
async function keepIndex(index: string, cache: string, scratch: string): Promise<void> {
  const draft = `${cache}.${scratch.slice(-6)}`;
  try {
    await copyKeepingTime(index, draft);
    await rename(draft, cache);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EROFS', 'ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? ''))
      throw error;
  }
}
