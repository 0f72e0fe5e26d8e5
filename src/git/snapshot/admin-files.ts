import type { BytePath } from '../byte-path.js';
import { readDirectory } from '../files/read-directory.js';
import { toFoundFile, walkWorkTree } from '../files/walk.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { type RawFile, toRawFile, toRawFiles } from './raw-files.js';

/**
 * What belongs to one registration of a worktree and means nothing in another, or is temporary. A private git directory (see
 * private-git.ts) has more of that: its objects and branches are captured in other ways.
 */
const REGISTRATION =
  /^(commondir|gitdir|locked|carrel-sandbox|carrel-look-given-up|modules|objects|hooks|branches|config|description|shallow|packed-refs|info\/(exclude|attributes)|refs\/(?!bisect\/|worktree\/|rewritten\/).+)(\/|$)|\.lock$/;

/** The state of the main work tree; the rest of its git directory is the repository itself. */
const MAIN_STATE =
  /^([A-Z_]*HEAD|MERGE_\w+|SQUASH_MSG|COMMIT_EDITMSG|AUTO_MERGE|BISECT_\w+|config\.worktree|index|sharedindex\.\w+|(rebase-merge|rebase-apply|sequencer|refs\/(bisect|worktree|rewritten))\/.+|logs\/HEAD|info\/sparse-checkout)$/;

/** Whether a file of a work tree's git directory is part of the work tree's state. */
function isStateFile(place: WorkTreePlace, path: BytePath): boolean {
  if (REGISTRATION.test(path)) return false;
  return place.gitDir !== place.commonDir || MAIN_STATE.test(path);
}

/**
 * Whether it means something in another work tree too: not the logs of a stash and of branches in a private git directory.
 * The snapshot itself holds the commits that they name.
 */
export const isStateElsewhere = (place: WorkTreePlace, path: BytePath): boolean =>
  isStateFile(place, path) && !/^logs\/refs\/(?!bisect\/|worktree\/|rewritten\/)/.test(path);

/** Files of the git directory with HEAD and the operation in progress, index included. */
export async function listAdminFiles(place: WorkTreePlace): Promise<RawFile[]> {
  const top = readDirectory(place.gitDir, '').filter(entry => mayHoldState(place, entry.name));
  const lists = await Promise.all(
    top.map(async entry => {
      if (entry.stats.isDirectory())
        return toRawFiles(place.gitDir, await walkWorkTree(place.gitDir, null, entry.path));
      const { stats, path } = entry;
      return stats.isFile() ? [toRawFile(place.gitDir, path, toFoundFile('file', stats))] : [];
    }),
  );
  return lists.flat().filter(file => file.kind === 'file' && isStateFile(place, file.path));
}

/** Keeps the walk out of the objects of a main git directory. */
function mayHoldState(place: WorkTreePlace, name: BytePath): boolean {
  if (place.gitDir !== place.commonDir) return !REGISTRATION.test(name);
  const folders = ['rebase-merge', 'rebase-apply', 'sequencer', 'refs', 'logs', 'info'];
  return folders.includes(name) || MAIN_STATE.test(name);
}
