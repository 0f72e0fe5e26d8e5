import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BytePath } from '../../byte-path.js';
import type { Git } from '../../git.js';
import { readBlob } from '../../objects/read-objects.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { isStateElsewhere } from '../admin-files.js';
import { type DirectoryMeta, FILES, restoreDirectory } from '../capture/directory-snapshot.js';
import { type ModeKind, type Modes, modeLookup } from '../file-modes.js';
import { keptStoreOf } from '../kept-store.js';
import { jjBeside } from '../restore/private-git-files.js';
import { restoreWorkTree } from '../restore/restore-work-tree.js';
import {
  FOLDERS,
  findExtras,
  META_FILE,
  parseMeta,
  readSnapshotMeta,
  type SnapshotMeta,
} from '../snapshot-meta.js';
import { compareFiles } from './compare-files.js';
import type { DeepRequest } from './examine-objects.js';
import { type ExpectedFiles, inFolderOf, listTree, sumBytes } from './expected-files.js';

export interface TrialRequest extends DeepRequest {
  /** An empty directory, which the caller deletes. */
  readonly scratch: string;
  /** Called with the bytes that the restored files take, before anything is written; throws when there is no room. */
  readonly requireRoom: (bytes: number) => Promise<void>;
}

/**
 * Restores a snapshot as `carrel restore` does, into a scratch directory, and returns every difference from the snapshot's
 * trees. The repository is only read.
 */
export const tryRestore = (git: Git, request: TrialRequest): Promise<string[]> =>
  request.isDirectory ? tryDirectory(git, request) : tryWorkTree(git, request);

async function tryDirectory(git: Git, request: TrialRequest): Promise<string[]> {
  const { objectStore, commit, scratch, signal } = request;
  const all = await listTree(git, objectStore, commit);
  await request.requireRoom(sumBytes(all));
  const directory = join(scratch, 'tree');
  const home = join(scratch, 'home');
  const place = { objectStore, directory };
  await restoreDirectory(git, place, { commit, privateHome: home, temporaryRoot: scratch });
  const meta = parseMeta<DirectoryMeta>(await readBlob(git, objectStore, commit, META_FILE), commit);
  return [
    ...(await compareFiles({
      root: directory,
      files: inFolderOf(all, FILES),
      directories: meta.emptyDirectories,
      modeOf: modeLookup(meta.modes),
      signal,
    })),
    ...(await compareHome(home, inFolderOf(all, FOLDERS.privateHome), meta.privateHome?.modes, signal)),
  ];
}

async function tryWorkTree(git: Git, request: TrialRequest): Promise<string[]> {
  const { objectStore, commit, scratch, keptDir, signal } = request;
  const meta = await readSnapshotMeta(git, objectStore, commit);
  const files = await listTree(git, objectStore, commit);
  const extras = await listTree(git, objectStore, await findExtras(git, objectStore, commit));
  const apart = meta.kept ? await listTree(git, keptStoreOf(keptDir, meta.kept), meta.kept) : extras;
  await request.requireRoom(sumBytes(files, extras, apart === extras ? new Map() : apart));
  const place = await makePlace(objectStore, scratch, meta);
  const privateGitDir = join(scratch, 'private', 'git');
  const privateHome = join(scratch, 'home');
  const restoring = { commit, privateGitDir, privateHome, keptDir, temporaryRoot: scratch };
  const { warnings } = await restoreWorkTree(git, place, restoring);
  const absent = new Set(meta.absent);
  const expected = new Map([
    ...[...files].filter(([path]) => !absent.has(path)),
    ...inFolderOf(apart, FOLDERS.ignored),
    ...inFolderOf(apart, FOLDERS.nested),
  ]);
  const changedOnPurpose = new Set(meta.absorbed.map(path => `${path}/.git/config`));
  const { foreign } = meta;
  return [
    ...warnings,
    ...(await compareFiles({
      root: place.workTree,
      files: expected,
      directories: meta.emptyDirectories,
      modeOf: meta.isPresent ? modesOf(meta.modes, foreign ? PLAIN_MODES : undefined) : undefined,
      largeFiles: new Map(meta.largeFiles.map(({ path, oid }) => [path, oid])),
      rewritten: path => changedOnPurpose.has(path),
      signal,
    })),
    ...(await compareState(place, new Map([...extras, ...apart]), signal)),
    ...(await compareIfThere(privateGitDir, inFolderOf(apart, FOLDERS.private), signal)),
    ...(await compareIfThere(jjBeside(privateGitDir), inFolderOf(apart, FOLDERS.privateJj), signal)),
    ...(await compareHome(
      privateHome,
      inFolderOf(apart, FOLDERS.privateHome),
      foreign?.privateHome?.modes,
      signal,
    )),
  ];
}

/** A git directory that shares all but itself with the repository, and that no list of worktrees has. */
async function makePlace(
  commonDir: string,
  scratch: string,
  { head, foreign }: SnapshotMeta,
): Promise<WorkTreePlace> {
  const gitDir = join(scratch, 'git');
  const workTree = join(scratch, 'tree');
  await mkdir(gitDir);
  await mkdir(workTree);
  await writeFile(join(gitDir, 'commondir'), `${commonDir}\n`);
  await writeFile(
    join(gitDir, 'HEAD'),
    head.commit === null ? 'ref: refs/carrel/nothing\n' : `${head.commit}\n`,
  );
  // Files made in a sandbox are restored completely only into a sandbox, and nothing here runs them.
  return { commonDir, gitDir, workTree, isForeign: foreign !== undefined };
}

/** A restore removes setuid and setgid bits. */
const PLAIN_MODES = 0o777;

const modesOf = (modes: Modes, mask = 0o7777): ((path: BytePath, kind: ModeKind) => number) => {
  const recorded = modeLookup(modes);
  return (path, kind) => recorded(path, kind) & mask;
};

/** Git refreshes the index, and what says where the files are is changed on purpose. */
function compareState(
  place: WorkTreePlace,
  all: ExpectedFiles,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const isBrought = (path: BytePath) =>
    path !== 'HEAD' && (isStateElsewhere(place, path) || path.startsWith('modules/'));
  const files = new Map([...inFolderOf(all, FOLDERS.admin)].filter(([path]) => isBrought(path)));
  const rewritten = (path: BytePath) => path === 'index' || path === 'config.worktree';
  return compareFiles({ root: place.gitDir, files, rewritten, mayHaveMore: true, signal });
}

async function compareIfThere(
  root: string,
  files: ExpectedFiles,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  return files.size === 0 ? [] : compareFiles({ root, files, signal });
}

async function compareHome(
  root: string,
  files: ExpectedFiles,
  modes: Modes | undefined,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (!modes) return [];
  return compareFiles({ root, files, modeOf: modesOf(modes, PLAIN_MODES), signal });
}
