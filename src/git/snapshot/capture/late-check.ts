import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../../domain/error/error.js';
import { type BytePath, toFsPath } from '../../byte-path.js';
import { type FoundFiles, walkWorkTree } from '../../files/walk.js';
import type { Git, GitOptions } from '../../git.js';
import { ENTRY_MODES, entryId, entryMode, readPaths } from '../../index/git-index-entries.js';
import type { PlainIndex } from '../../index/plain-index.js';
import { copyKeepingTime } from '../../index/scratch-index.js';
import { readObjectInfos } from '../../objects/read-objects.js';
import { type CleanQuestion, findCleanFiles } from '../../work-tree/clean-files.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { listAdminFiles } from '../admin-files.js';
import { type Modes, modeLookup } from '../file-modes.js';
import type { SnapshotHead } from '../snapshot-meta.js';
import { listFiltered } from './tracked-files-to-store.js';

/**
 * The assumptions of a snapshot that was made without reading the files (see clean-capture.ts), kept with the files so that
 * all of them can be checked before they are deleted.
 */
export interface DeferredCheck {
  readonly head: SnapshotHead;
  /** The tree of HEAD. */
  readonly tree: string;
  readonly modes: Modes;
  readonly included: CleanQuestion['included'];
}

/** Where the files, and a git directory that knows their index, are once the repository has forgotten them. */
export const deferredCheckPlace = (remains: string, commonDir: string): WorkTreePlace => ({
  commonDir,
  gitDir: join(remains, 'git'),
  workTree: join(remains, 'tree'),
});

/**
 * Copies the state of a work tree's git directory to `git/` in the directory that holds the files as `tree/`: a git
 * directory that shares all but itself with the repository. Idempotent.
 */
export async function keepState(place: WorkTreePlace, remains: string): Promise<void> {
  const { gitDir } = deferredCheckPlace(remains, place.commonDir);
  await mkdir(gitDir, { recursive: true });
  for (const { path } of await listAdminFiles(place)) {
    const to = toFsPath(gitDir, path);
    await mkdir(dirname(to.toString('utf8')), { recursive: true });
    if (path !== 'index') await copyFile(toFsPath(place.gitDir, path), to);
  }
  await copyKeepingTime(join(place.gitDir, 'index'), join(gitDir, 'index'));
  await writeFile(join(gitDir, 'commondir'), `${place.commonDir}\n`);
}

/** HEAD names its commit from now on: its branch is about to be deleted. */
export async function saveDeferredCheck(remains: string, check: DeferredCheck): Promise<void> {
  await writeFile(join(remains, 'git', 'HEAD'), `${check.head.commit}\n`);
  await writeFile(join(remains, CHECK_FILE), JSON.stringify(check));
}

const CHECK_FILE = 'look.json';

/** Undefined when none was kept, or only half of it was written. */
export async function loadDeferredCheck(remains: string): Promise<DeferredCheck | undefined> {
  try {
    return JSON.parse(await readFile(join(remains, CHECK_FILE), 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Whether the files are exactly what the snapshot restores: as in the index, by content where times are inconclusive; no
 * line ending or filter between a file and its blob; the expected permissions; no other files.
 */
export async function matchesSnapshot(
  git: Git,
  place: WorkTreePlace,
  check: DeferredCheck,
): Promise<boolean> {
  const { gitDir, workTree } = place;
  const index: GitOptions = { gitDir, workTree };
  // First, because comparing by content runs filters.
  if ((await listFiltered(git, index)).size > 0) return false;
  const { included } = check;
  const idLength = check.tree.length;
  const clean = await findCleanFiles(place, { idLength, included });
  if (!clean || clean.index.tree !== check.tree) return false;
  const found = await walkWorkTree(workTree, null);
  return hasModes(found, check.modes) && (await isUnconverted(git, place, clean.index, found));
}

function hasModes(found: FoundFiles, modes: Modes): boolean {
  const modeOf = modeLookup(modes);
  const isUsual = (path: BytePath, file: { readonly kind: string; readonly mode: number }) =>
    file.kind === 'symlink' ||
    path === '.git' ||
    file.mode === modeOf(path, file.mode & 0o100 ? 'executable' : 'file');
  return (
    [...found.files].every(([path, file]) => isUsual(path, file)) &&
    [...found.directories].every(([path, mode]) => mode === modeOf(path, 'directory'))
  );
}

/** Line endings and `$Id$` change a file's size; one of the same size is the blob itself. */
async function isUnconverted(
  git: Git,
  place: WorkTreePlace,
  index: PlainIndex,
  found: FoundFiles,
): Promise<boolean> {
  const regular = [...index.offsets.keys()].filter(entry => entryMode(index, entry) !== ENTRY_MODES.link);
  const infos = await readObjectInfos(
    git,
    place.commonDir,
    regular.map(entry => entryId(index, entry)),
  );
  const paths = readPaths(index, regular);
  return paths.every((path, at) => infos[at]?.bytes === found.files.get(path)?.bytes);
}
