import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../../domain/error/error.js';
import { type BytePath, displayPath, toFsPath } from '../../byte-path.js';
import { createParentMaker } from '../../files/safe-path.js';
import { unescapePath } from '../../files/tree-path.js';
import { walkWorkTree } from '../../files/walk.js';
import type { Git } from '../../git.js';
import { isStore } from '../../objects/bare-store.js';
import { readObjectInfos, readParents } from '../../objects/read-objects.js';
import { withoutFilterPrograms } from '../../work-tree/without-filter-programs.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { isStateElsewhere, listAdminFiles } from '../admin-files.js';
import { keptStoreOf } from '../kept-store.js';
import { type LargeFile, largeObjectPath } from '../large-files.js';
import { FOLDERS, findExtras, readSnapshotMeta, type SnapshotMeta } from '../snapshot-meta.js';
import { jjBeside, restorePrivateGit } from './private-git-files.js';
import { restorePrivateHome } from './private-home.js';
import { applyModes, putEmptyDirectories, putFiles, WORK_TREE_LINK, withStaging } from './put-files.js';
import { checkOutRaw } from './raw-checkout.js';

export interface RestoreRequest {
  readonly commit: string;
  /** Used instead of the commit's own files when the index is newer: then the index and its state stay. */
  readonly tree?: string | undefined;
  /** Adds other files, before permissions are set. */
  readonly beforeModes?: (() => Promise<void>) | undefined;
  /** Where to restore a private git directory; must not exist. */
  readonly privateGitDir?: string | undefined;
  /** The same for a home. */
  readonly privateHome?: string | undefined;
  /** Where the separately stored part is (see kept-store.ts). */
  readonly keptDir?: string | undefined;
  readonly temporaryRoot: string;
}

export interface Restored {
  readonly meta: SnapshotMeta;
  /** Messages about what could not be restored exactly. */
  readonly warnings: readonly string[];
}

/**
 * Restores a work tree from a snapshot: files, index, and an operation in progress. The work tree is registered (its git
 * directory exists, and its directory has nothing but `.git`) and HEAD is the caller's choice. Nothing is written through a
 * link. SNAPSHOT_BROKEN, UNSAFE_PATH.
 */
export async function restoreWorkTree(
  git: Git,
  place: WorkTreePlace,
  request: RestoreRequest,
): Promise<Restored> {
  const { commonDir: objectStore, workTree: directory } = place;
  const { commit, tree: files = commit, temporaryRoot } = request;
  const keepsState = request.tree !== undefined;
  const meta = await readSnapshotMeta(git, objectStore, commit);
  const extras = await findExtras(git, objectStore, commit);
  const apart = await findApart(git, { objectStore, extras }, meta, request.keptDir);
  const left = leaveOut(place, meta);
  await checkOutRaw(git, { objectStore, tree: files, directory, without: meta.absent, temporaryRoot });
  await withStaging(directory, async staging => {
    const without = await listPrivateFiles(git, apart, meta);
    if (apart.extras !== extras)
      await checkOutRaw(git, { objectStore, tree: extras, directory: staging, temporaryRoot });
    if (!apart.isLost) {
      const tree = { objectStore: apart.objectStore, tree: apart.extras };
      await checkOutRaw(git, { ...tree, directory: staging, without, temporaryRoot });
    }
    await putFiles(staging, FOLDERS.ignored, directory, WORK_TREE_LINK);
    if (left.length === 0) await putFiles(staging, FOLDERS.nested, directory, WORK_TREE_LINK);
    if (!keepsState) await putAdminFiles(place, staging);
  });
  if (!apart.isLost) await restorePrivateGitAndJj(git, apart, meta, request);
  if (!apart.isLost) await restoreHome(git, apart, meta, request);
  await removePathSettings(git, place);
  if (!keepsState) await makeIndex(git, place, commit, meta);
  const isBrought = (path: BytePath) => !left.some(inner => path === inner || path.startsWith(`${inner}/`));
  putEmptyDirectories(directory, meta.emptyDirectories.filter(isBrought));
  const warnings = await putLargeFiles(place, meta.largeFiles);
  await removeWorktreeSettings(git, directory, meta.absorbed.filter(isBrought));
  await request.beforeModes?.();
  const mask = meta.foreign ? PLAIN_MODES : undefined;
  if (meta.isPresent) await applyModes(directory, meta.modes, place.apart ?? WORK_TREE_LINK, mask);
  await refreshIndex(git, place, meta);
  return { meta, warnings: [...warnings, ...left.map(describeLeft), ...describeLost(apart)] };
}

/** One that is not among the files of the snapshot. */
async function makeIndex(git: Git, place: WorkTreePlace, commit: string, meta: SnapshotMeta): Promise<void> {
  if (!meta.hasPlainIndex && !meta.hasUnreadableIndex) return;
  const staged = (await readParents(git, place.commonDir, commit)).at(-2);
  const tree = meta.hasUnreadableIndex ? staged : commit;
  await git.run(['read-tree', `${tree}^{tree}`], { gitDir: place.gitDir });
}

/** Where the commit is that has what git must never push: K, or E in snapshots of earlier versions. */
interface Apart {
  readonly objectStore: string;
  readonly extras: string;
  readonly isLost: boolean;
}

async function findApart(
  git: Git,
  own: { readonly objectStore: string; readonly extras: string },
  { kept }: SnapshotMeta,
  keptDir: string | undefined,
): Promise<Apart> {
  if (kept === undefined) return { ...own, isLost: false };
  const objectStore = keptDir === undefined ? '' : keptStoreOf(keptDir, kept);
  const isThere = keptDir !== undefined && (await isStore(objectStore));
  const [found] = isThere ? await readObjectInfos(git, objectStore, [kept]) : [];
  return { objectStore, extras: kept, isLost: found === undefined };
}

const describeLost = ({ isLost, objectStore }: Apart): string[] =>
  isLost
    ? [`ignored files and nested repositories were not restored: ${objectStore} no longer has them`]
    : [];

/** A setuid program from the sandbox would run as our user. */
const PLAIN_MODES = 0o777;

/**
 * Repositories made in a sandbox are restored only into a sandbox: elsewhere the next git that reads the files, ours or the
 * user's, would run the programs in their configuration.
 */
const leaveOut = (place: WorkTreePlace, { foreign }: SnapshotMeta): readonly BytePath[] =>
  place.isForeign ? [] : (foreign?.repositories ?? []);

const describeLeft = (path: BytePath): string =>
  `${displayPath(path)} is a repository that was created in a sandbox and was left out; to restore it, run carrel restore where a sandbox is available`;

/** The paths of files that are brought back by themselves, elsewhere. */
async function listPrivateFiles(
  git: Git,
  { objectStore, extras, isLost }: Apart,
  { foreign }: SnapshotMeta,
): Promise<BytePath[]> {
  if (!foreign || isLost) return [];
  const folders = [`${FOLDERS.private}/`, `${FOLDERS.privateJj}/`, `${FOLDERS.privateHome}/`];
  const query = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', extras, '--', ...folders];
  return git.records(query, { gitDir: objectStore });
}

async function restorePrivateGitAndJj(
  git: Git,
  { objectStore, extras }: Apart,
  { foreign }: SnapshotMeta,
  { privateGitDir: gitDir, temporaryRoot }: RestoreRequest,
): Promise<void> {
  if (!foreign?.privateGit || gitDir === undefined) return;
  const { privateGit, privateJj } = foreign;
  const from = { objectStore, extras, temporaryRoot };
  await restorePrivateGit(git, { ...from, folder: FOLDERS.private, meta: privateGit, gitDir });
  if (!privateJj) return;
  await restorePrivateGit(git, {
    ...from,
    folder: FOLDERS.privateJj,
    meta: privateJj,
    gitDir: jjBeside(gitDir),
  });
}

async function restoreHome(
  git: Git,
  { objectStore, extras: tree }: Apart,
  { foreign }: SnapshotMeta,
  { privateHome: home, temporaryRoot }: RestoreRequest,
): Promise<void> {
  if (!foreign?.privateHome || home === undefined) return;
  await restorePrivateHome(git, { objectStore, tree, meta: foreign.privateHome, home, temporaryRoot });
}

/**
 * The index is from another time, so git compares contents now rather than with every later command. Attributes written in a
 * sandbox run no program for that, and nested repositories are skipped.
 */
async function refreshIndex(git: Git, place: WorkTreePlace, { foreign }: SnapshotMeta): Promise<void> {
  const at = { gitDir: place.gitDir, workTree: place.workTree, answers: [0, 1] };
  const refresh = ['update-index', '-q', '--refresh'];
  if (!foreign) return void (await git.run(refresh, at));
  const env = await withoutFilterPrograms(git, { gitDir: place.gitDir });
  await git.run(['update-index', '-q', '--ignore-submodules', '--refresh'], { ...at, env });
}

/** The state files become those of the snapshot: exactly, except for HEAD. */
async function putAdminFiles(place: WorkTreePlace, staging: string): Promise<void> {
  const found = await walkWorkTree(staging, null, FOLDERS.admin);
  const wanted = new Map(
    [...found.files.keys()].map(path => [unescapePath(path.slice(FOLDERS.admin.length + 1)), path]),
  );
  for (const { path } of await listAdminFiles(place)) {
    if (path !== 'HEAD' && !wanted.has(path)) await rm(toFsPath(place.gitDir, path));
  }
  const makeParents = createParentMaker(place.gitDir);
  for (const [path, source] of wanted) {
    if (path === 'HEAD' || !(isStateElsewhere(place, path) || path.startsWith('modules/'))) continue;
    makeParents(path);
    await copyFile(toFsPath(staging, source), toFsPath(place.gitDir, path));
  }
}

/** The configuration of a main work tree may say where its files are; in another work tree that would be wrong. */
async function removePathSettings(git: Git, place: WorkTreePlace): Promise<void> {
  const file = join(place.gitDir, 'config.worktree');
  if (!existsSync(file)) return;
  for (const key of ['core.worktree', 'core.bare']) await unsetKey(git, file, key);
}

/** The pointer that git has is replaced by the content. */
async function putLargeFiles(place: WorkTreePlace, files: readonly LargeFile[]): Promise<string[]> {
  const warnings: string[] = [];
  for (const { path, oid } of files) {
    try {
      await copyFile(largeObjectPath(place.commonDir, oid), toFsPath(place.workTree, path));
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      warnings.push(
        `${displayPath(path)} is only a pointer: its content is no longer in the LFS store; fetch it with: git lfs pull`,
      );
    }
  }
  return warnings;
}

/** A git directory that is now a `.git` is next to its files and must not name another path for them. */
async function removeWorktreeSettings(
  git: Git,
  directory: string,
  repositories: readonly BytePath[],
): Promise<void> {
  for (const path of repositories) {
    await unsetKey(git, join(directory, displayPath(path), '.git', 'config'), 'core.worktree');
  }
}

async function unsetKey(git: Git, file: string, key: string): Promise<void> {
  // Not run inside: git would read the configuration that is being fixed. 5: it is not set.
  await git.run(['config', '--file', file, '--unset-all', key], { cwd: '/', answers: [0, 5] });
}
