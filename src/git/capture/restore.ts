import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error.js';
import { type BytePath, displayPath, toFsPath } from '../byte-path.js';
import type { Git } from '../git.js';
import type { WorkTreePlace } from '../work-tree/place.js';
import { walkWorkTree } from '../work-tree/walk.js';
import { withoutFilterPrograms } from '../work-tree/without-filter-programs.js';
import { isStateElsewhere, listAdminFiles } from './admin-files.js';
import { type LargeFile, largeObjectPath } from './large-files.js';
import { jjBeside, restorePrivateGit } from './private-git.js';
import { restorePrivateHome } from './private-home.js';
import { applyModes, putEmptyDirectories, putFiles, WORK_TREE_LINK, withStaging } from './put-files.js';
import { checkOutRaw } from './raw-checkout.js';
import { createParentMaker } from './safe-path.js';
import { FOLDERS, findExtras, readSnapshotMeta, type SnapshotMeta } from './snapshot-meta.js';
import { unescapePath } from './tree-path.js';

export interface RestoreRequest {
  readonly commit: string;
  /** Where a git directory that was kept beside the files comes back to; must not exist. */
  readonly privateGitDir?: string | undefined;
  /** The same for a home. */
  readonly privateHome?: string | undefined;
  readonly temporaryRoot: string;
}

export interface Restored {
  readonly meta: SnapshotMeta;
  /** For people: what could not be brought back as it was. */
  readonly warnings: readonly string[];
}

/**
 * Brings a work tree back from a snapshot: files, index, and whatever was under way. The work tree is registered (its
 * git directory is there, and its directory holds nothing but `.git`) and HEAD is the caller's choice. Nothing is
 * written through a link. SNAPSHOT_BROKEN, UNSAFE_PATH.
 */
export async function restoreWorkTree(
  git: Git,
  place: WorkTreePlace,
  request: RestoreRequest,
): Promise<Restored> {
  const { commonDir: objectStore, workTree: directory } = place;
  const { commit, temporaryRoot } = request;
  const meta = await readSnapshotMeta(git, objectStore, commit);
  const extras = await findExtras(git, objectStore, commit);
  const left = leaveOut(place, meta);
  await checkOutRaw(git, { objectStore, tree: commit, directory, without: meta.absent, temporaryRoot });
  await withStaging(directory, async staging => {
    const without = await listPrivateFiles(git, place, extras, meta);
    await checkOutRaw(git, { objectStore, tree: extras, directory: staging, without, temporaryRoot });
    await putFiles(staging, FOLDERS.ignored, directory, WORK_TREE_LINK);
    if (left.length === 0) await putFiles(staging, FOLDERS.nested, directory, WORK_TREE_LINK);
    await putAdminFiles(place, staging);
  });
  await bringPrivateGit(git, place, extras, meta, request);
  await bringPrivateHome(git, place, extras, meta, request);
  await settleConfiguration(git, place);
  if (meta.hasPlainIndex) await git.run(['read-tree', `${commit}^{tree}`], { gitDir: place.gitDir });
  const isBrought = (path: BytePath) => !left.some(inner => path === inner || path.startsWith(`${inner}/`));
  putEmptyDirectories(directory, meta.emptyDirectories.filter(isBrought));
  const warnings = await putLargeFiles(place, meta.largeFiles);
  await settleAbsorbed(git, directory, meta.absorbed.filter(isBrought));
  const mask = meta.foreign ? PLAIN_MODES : undefined;
  if (meta.isPresent) await applyModes(directory, meta.modes, place.apart ?? WORK_TREE_LINK, mask);
  await refreshIndex(git, place, meta);
  return { meta, warnings: [...warnings, ...left.map(describeLeft)] };
}

/** A program of somebody else's that runs as its owner would run as us. */
const PLAIN_MODES = 0o777;

/**
 * Repositories that were made in a sandbox are brought back for a sandbox only: elsewhere the next git that looks at the
 * files, ours or the user's, would run what their configuration names.
 */
const leaveOut = (place: WorkTreePlace, { foreign }: SnapshotMeta): readonly BytePath[] =>
  place.isForeign ? [] : (foreign?.repositories ?? []);

const describeLeft = (path: BytePath): string =>
  `${displayPath(path)} is a repository that was made in a sandbox and is left out; it comes back with: carrel restore, where a sandbox can be had`;

/** The paths of files that are brought back by themselves, elsewhere. */
async function listPrivateFiles(
  git: Git,
  place: WorkTreePlace,
  extras: string,
  { foreign }: SnapshotMeta,
): Promise<BytePath[]> {
  if (!foreign) return [];
  const folders = [`${FOLDERS.private}/`, `${FOLDERS.privateJj}/`, `${FOLDERS.privateHome}/`];
  const query = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', extras, '--', ...folders];
  return git.records(query, { gitDir: place.commonDir });
}

async function bringPrivateGit(
  git: Git,
  place: WorkTreePlace,
  extras: string,
  { foreign }: SnapshotMeta,
  { privateGitDir: gitDir, temporaryRoot }: RestoreRequest,
): Promise<void> {
  if (!foreign?.privateGit || gitDir === undefined) return;
  const { privateGit, privateJj } = foreign;
  const from = { objectStore: place.commonDir, extras, temporaryRoot };
  await restorePrivateGit(git, { ...from, folder: FOLDERS.private, meta: privateGit, gitDir });
  if (!privateJj) return;
  await restorePrivateGit(git, {
    ...from,
    folder: FOLDERS.privateJj,
    meta: privateJj,
    gitDir: jjBeside(gitDir),
  });
}

async function bringPrivateHome(
  git: Git,
  { commonDir: objectStore }: WorkTreePlace,
  tree: string,
  { foreign }: SnapshotMeta,
  { privateHome: home, temporaryRoot }: RestoreRequest,
): Promise<void> {
  if (!foreign?.privateHome || home === undefined) return;
  await restorePrivateHome(git, { objectStore, tree, meta: foreign.privateHome, home, temporaryRoot });
}

/**
 * The index is of another time, so that git compares contents here and not with every later command. Attributes that
 * were written in a sandbox run no program for that, and the repositories within are passed over.
 */
async function refreshIndex(git: Git, place: WorkTreePlace, { foreign }: SnapshotMeta): Promise<void> {
  const at = { gitDir: place.gitDir, workTree: place.workTree, answers: [0, 1] };
  const refresh = ['update-index', '-q', '--refresh'];
  if (!foreign) return void (await git.run(refresh, at));
  const env = await withoutFilterPrograms(git, { gitDir: place.gitDir });
  await git.run(['update-index', '-q', '--ignore-submodules', '--refresh'], { ...at, env });
}

/** The state files become those of the snapshot: no more and no less, but for HEAD. */
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
async function settleConfiguration(git: Git, place: WorkTreePlace): Promise<void> {
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
        `${displayPath(path)} is only a pointer: its content left the LFS store; get it with: git lfs pull`,
      );
    }
  }
  return warnings;
}

/** A git directory that is now a `.git` lies beside its files and must not name another place for them. */
async function settleAbsorbed(git: Git, directory: string, repositories: readonly BytePath[]): Promise<void> {
  for (const path of repositories) {
    await unsetKey(git, join(directory, displayPath(path), '.git', 'config'), 'core.worktree');
  }
}

async function unsetKey(git: Git, file: string, key: string): Promise<void> {
  // Not from within: git would read the very configuration that is to be mended. 5: it is not set.
  await git.run(['config', '--file', file, '--unset-all', key], { cwd: '/', answers: [0, 5] });
}
