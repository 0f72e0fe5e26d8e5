import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { withScratchDirectory } from '../../git/scratch-directory.js';
import type { WorkTreePlace } from '../../git/work-tree/place.js';
import { copyKeepingTime } from '../../git/work-tree/scratch-index.js';
import { requireCommonDir } from './place.js';

export interface ViewRequest {
  /** The git directory that jj keeps the commits in. */
  readonly commonDir: string;
  /** What the files are compared with; null for nothing. */
  readonly head: string | null;
  /** Where the files of the workspace are. */
  readonly files: string;
  /** As in git/work-tree/place.ts. */
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
 * Runs `action` with the files of a jj workspace as git sees them: a git directory that lives as long as the call, whose
 * HEAD is `head` and whose index has exactly that. So everything that Carrel knows about a work tree (what is untracked
 * or ignored, snapshots, patches) holds here too, to the byte, also for what jj leaves out: names that are not UTF-8,
 * new files above its size limit. Nothing of it is seen by jj or by the user's git.
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
 * The index of the last look is the start, because it knows files by their times: without it git would read each of
 * them. Kept with the files, so that it goes where they go; among foreign files it would be anybody's word.
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
  if (!place.isForeign) await copyKeepingTime(cache, index);
  const at = { gitDir: place.gitDir, cwd: scratch };
  await git.run(['read-tree', '--reset', head], at);
  if (place.isForeign) return;
  const refresh = ['update-index', '-q', '--ignore-submodules', '--refresh'];
  await git.run(refresh, {
    gitDir: place.gitDir,
    workTree: place.workTree,
    cwd: scratch,
    answers: [0, 1, 128],
  });
  await keepIndex(index, cache, scratch);
}

/** Only a help for the next look: a directory that is gone or may not be written to has none. */
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
