import { join } from 'node:path';
import { isCarrelError } from '../../domain/error/error.js';
import { toBytes } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { ENTRY_MODES, entryMode, isComparedByGit, readPaths } from '../../git/index/git-index-entries.js';
import { loadDatedIndex } from '../../git/index/git-index-file.js';
import { GITLINK_MODE, listIndexEntries } from '../../git/index/list-index-entries.js';
import { withoutFiles } from '../../git/work-tree/submodule-state.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';

/**
 * Makes the user's git skip the submodules of a workspace (skip-worktree): while a command runs inside, the agent writes their
 * directories, and `git status` at the top would enter them and obey their configuration. Returns a warning where that could
 * not be done.
 */
export async function hideGitlinks(git: Git, place: WorkTreePlace, idLength: number): Promise<string[]> {
  const index = loadDatedIndex(join(place.gitDir, 'index'), idLength / 2);
  const paths = 'unusable' in index ? await listByGit(git, place) : listShown(index);
  if (paths.length === 0) return [];
  const stdin = toBytes(paths.map(path => `${path}\0`).join(''));
  try {
    const command = ['update-index', '--skip-worktree', '-z', '--stdin'];
    await git.run(command, { ...withoutFiles(place.gitDir), stdin });
    return [];
  } catch (error) {
    // Another git process writes the index, or has just removed the entry.
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    return [`do not run git in ${place.workTree} while a command runs there: git would enter its submodules`];
  }
}

type Index = Exclude<ReturnType<typeof loadDatedIndex>, { readonly unusable: string }>;

function listShown(index: Index): string[] {
  const shown: number[] = [];
  for (let entry = 0; entry < index.offsets.length; entry++)
    if (entryMode(index, entry) === ENTRY_MODES.submodule && isComparedByGit(index, entry)) shown.push(entry);
  return shown.length === 0 ? [] : readPaths(index, shown);
}

/** A split or a sparse index. */
async function listByGit(git: Git, place: WorkTreePlace): Promise<string[]> {
  const entries = await listIndexEntries(git, withoutFiles(place.gitDir));
  const isShown = ({ mode, stage, skipWorktree }: (typeof entries)[number]) =>
    mode === GITLINK_MODE && stage === 0 && !skipWorktree;
  return entries.filter(isShown).map(({ path }) => path);
}
