import { constants } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import { makeNewDirectory, makeSharedDirectory, moveInto } from '../disk/shared-directory.js';

/**
 * Registering a linked worktree by writing its admin directory, as gitrepository-layout(5) describes it, instead of
 * calling `git worktree add`: parallel calls of that fail on small repositories (they read each other's half-written
 * admin directories), it takes 6 ms against 0.3 ms, and it chooses the admin directory's name itself. Ours carries the
 * workspace's id, so that our directories are recognized after any crash. The directory is built under a temporary name and
 * renamed into place, so that no process, a concurrent `git worktree prune` included, ever sees a partial one.
 */
export interface LinkedWorktree {
  readonly commonDir: string;
  /** Name of the admin directory: the workspace's id. */
  readonly id: string;
  readonly path: string;
  /**
   * Its link leads nowhere: every git that finds the files without an explicit git directory stops there. An empty `.git`
   * directory would not do: its parent may be a bare repository, and that configuration would be read (seen with git 2.39.5).
   */
  readonly isClosed?: boolean | undefined;
}

export const adminDirOf = (worktree: Pick<LinkedWorktree, 'commonDir' | 'id'>): string =>
  join(worktree.commonDir, 'worktrees', worktree.id);

/** Existing files with their index, on the file system of the future worktree. */
export interface ReadyTree {
  readonly tree: string;
  readonly indexFile: string;
}

/**
 * `head` is what goes into HEAD: `ref: refs/heads/x` or a commit id. The directory must not exist. A ready tree is moved
 * into place: renaming its top changes neither inode nor times of what is in it, so its index stays true.
 */
export async function registerWorktree(
  worktree: LinkedWorktree,
  head: string,
  ready?: ReadyTree,
): Promise<void> {
  await makeNewDirectory(worktree.path);
  await writeFile(join(worktree.path, '.git'), linkTo(worktree));
  const draft = draftOf(worktree);
  await makeSharedDirectory(draft);
  await writeFile(join(draft, 'gitdir'), `${worktree.path}/.git\n`);
  await writeFile(join(draft, 'commondir'), '../..\n');
  await writeFile(join(draft, 'HEAD'), `${head}\n`);
  if (ready) await rename(ready.indexFile, join(draft, 'index'));
  await inheritSparseCheckout(worktree.commonDir, draft);
  // git may remove `worktrees/` with the last worktree at any moment.
  await moveInto(draft, adminDirOf(worktree));
  await removeIfEmpty(dirname(draft));
  if (ready) await moveReadyTree(worktree, ready);
}

/** Makes a directory with the link of a worktree that is registered; it is moved to the worktree's path later. */
export async function linkWorktree(worktree: LinkedWorktree, directory: string): Promise<void> {
  await makeNewDirectory(directory);
  await writeFile(join(directory, '.git'), linkTo(worktree));
}

/**
 * Replaces the directory that was created to claim the path, which must be empty. Before and after, the path is recognized
 * as ours.
 */
async function moveReadyTree(worktree: LinkedWorktree, { tree }: ReadyTree): Promise<void> {
  await writeFile(join(tree, '.git'), linkTo(worktree));
  await rm(join(worktree.path, '.git'));
  await rename(tree, worktree.path);
}

/** Unregisters the worktree; its files are not touched. Leaves no empty directory that git would not leave either. */
export async function unregisterWorktree(worktree: Pick<LinkedWorktree, 'commonDir' | 'id'>): Promise<void> {
  const admin = adminDirOf(worktree);
  const draft = draftOf(worktree);
  // Renamed first, so that an interrupted deletion does not leave half an admin directory where git looks.
  await rm(draft, { recursive: true, force: true });
  await moveInto(admin, draft);
  await rm(draft, { recursive: true, force: true });
  await removeIfEmpty(dirname(draft));
  await removeIfEmpty(dirname(admin));
}

/**
 * After its repository was moved: updates the link in the files to the git directory's new path. A link that does not point
 * to the old path is left alone.
 */
export async function relinkWorktree(worktree: LinkedWorktree, formerCommonDir: string): Promise<void> {
  const file = join(worktree.path, '.git');
  if (!(await lstat(file).catch(ignoreMissing))?.isFile()) return;
  const pointer = (await readLink(file)).trim();
  const former = { ...worktree, commonDir: formerCommonDir };
  const links = [false, true].map(isClosed => ({ isClosed, from: linkTo({ ...former, isClosed }).trim() }));
  const found = links.find(({ from }) => from === pointer);
  if (!found) return;
  const handle = await open(file, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
  await handle.writeFile(linkTo({ ...worktree, isClosed: found.isClosed })).finally(() => handle.close());
}

/** What is at the worktree's path, or at the path that git knows now. */
export type WorktreePresence =
  | 'present'
  | 'missing'
  | { readonly found: string }
  | { readonly movedTo: string };

export async function findWorktreePresence(worktree: LinkedWorktree): Promise<WorktreePresence> {
  const info = await lstat(worktree.path).catch(ignoreMissing);
  if (!info) return findMovedOrMissing(worktree);
  if (info.isSymbolicLink()) return { found: 'a symbolic link' };
  if (!info.isDirectory()) return { found: 'a file' };
  if ((await realpath(worktree.path)) !== worktree.path) return { found: 'reached through a symbolic link' };
  return findPresenceByLink(worktree);
}

/** `git worktree move` and `repair` write the new place into the admin directory. */
async function findMovedOrMissing(worktree: LinkedWorktree): Promise<WorktreePresence> {
  const admin = adminDirOf(worktree);
  const pointer = await readFile(join(admin, 'gitdir'), 'utf8').catch(ignoreMissing);
  const place = dirname(resolve(admin, pointer?.trim() || worktree.path));
  const isElsewhere = pointer !== undefined && place !== worktree.path;
  return isElsewhere && (await lstat(place).catch(ignoreMissing)) ? { movedTo: place } : 'missing';
}

async function findPresenceByLink(worktree: LinkedWorktree): Promise<WorktreePresence> {
  const pointerFile = join(worktree.path, '.git');
  const info = await lstat(pointerFile).catch(ignoreMissing);
  // An emptied directory counts as gone: cache cleaners leave directories, and a mount point can't be deleted.
  if (!info && (await readdir(worktree.path)).length === 0) return findMovedOrMissing(worktree);
  if (!info) return { found: 'a directory without its .git file' };
  if (info.isDirectory()) return { found: 'another repository' };
  if (!info.isFile()) return { found: 'a directory whose .git is not a file' };
  const pointer = await readLink(pointerFile);
  if (!isLinkOf(worktree, pointer)) return { found: 'a worktree of another registration' };
  if (!(await isRegistered(worktree))) return { found: 'a worktree that git has forgotten' };
  return 'present';
}

/** Whether git knows the worktree, in place or not. */
export async function isRegistered(worktree: Pick<LinkedWorktree, 'commonDir' | 'id'>): Promise<boolean> {
  return (await lstat(adminDirOf(worktree)).catch(ignoreMissing)) !== undefined;
}

/**
 * Whether the directory at the path is the one that registering made, at any stage: still empty, its link truncated, or
 * complete. The id in the link is proof; git need not know it yet, or any more.
 */
export async function isOwnDirectory(worktree: LinkedWorktree): Promise<boolean> {
  const info = await lstat(worktree.path).catch(ignoreMissing);
  if (!info?.isDirectory() || (await realpath(worktree.path)) !== worktree.path) return false;
  const names = await readdir(worktree.path);
  if (names.length === 0) return true;
  const pointerFile = join(worktree.path, '.git');
  if (!(await lstat(pointerFile).catch(ignoreMissing))?.isFile()) return false;
  const pointer = await readLink(pointerFile);
  return isLinkOf(worktree, pointer) || (names.length === 1 && linkTo(worktree).startsWith(pointer));
}

/** Only the first bytes: a planted file may be as large as the disk. */
async function readLink(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** More than a path and the word before it. */
const MOST_BYTES = 8192;

/** `git worktree repair` opens a closed one, which leads only to its own git directory. */
const isLinkOf = (worktree: LinkedWorktree, pointer: string): boolean =>
  [worktree, { ...worktree, isClosed: false }].some(own => pointer.trim() === linkTo(own).trim());

function linkTo(worktree: LinkedWorktree): string {
  const admin = adminDirOf(worktree);
  return `gitdir: ${worktree.isClosed ? join(admin, 'closed') : admin}\n`;
}

/** The reason that `git worktree lock` recorded, or undefined when it is not locked. */
export async function findWorktreeLock(
  worktree: Pick<LinkedWorktree, 'commonDir' | 'id'>,
): Promise<string | undefined> {
  return readFile(join(adminDirOf(worktree), 'locked'), 'utf8').then(text => text.trim(), ignoreMissing);
}

function draftOf(worktree: Pick<LinkedWorktree, 'commonDir' | 'id'>): string {
  return join(worktree.commonDir, 'carrel', worktree.id);
}

/** As `git worktree add` does: the patterns of the main work tree, and its own configuration except its path. */
async function inheritSparseCheckout(commonDir: string, admin: string): Promise<void> {
  const patterns = await readFile(join(commonDir, 'info', 'sparse-checkout')).catch(ignoreMissing);
  const config = await readFile(join(commonDir, 'config.worktree'), 'utf8').catch(ignoreMissing);
  if (patterns) {
    await mkdir(join(admin, 'info'), { recursive: true });
    await writeFile(join(admin, 'info', 'sparse-checkout'), patterns);
  }
  if (config) await writeFile(join(admin, 'config.worktree'), withoutPlace(config));
}

function withoutPlace(config: string): string {
  return config.replaceAll(/^\s*(bare|worktree)\s*=.*\n?/gim, '');
}

async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch(error => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  });
}
