import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { carrelError, errnoOf, isCarrelError } from '../../domain/error/error.js';
import { type BytePath, displayPath, toBytePath, toBytes, toFsPath } from '../byte-path.js';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import { findUnreadable } from '../files/open-unreadable.js';
import { parentDirectories } from '../files/parent-directories.js';
import { statExactly } from '../files/read-directory.js';
import { isPlainPath } from '../files/tree-path.js';
import type { FoundFiles } from '../files/walk.js';
import type { Git, GitOptions } from '../git.js';
import { withScratchPlace } from '../objects/scratch-place.js';
import { listDiffering } from '../work-tree/foreign-changes.js';
import { createCopier } from '../work-tree/foreign-copier.js';
import type { StatusEntry } from '../work-tree/status-entries.js';
import { type StatusSurvey, surveyByStatus } from '../work-tree/status-survey.js';
import { surveyWorkTree, type WorkTreeSurvey } from '../work-tree/survey.js';
import { withoutFilterPrograms } from '../work-tree/without-filter-programs.js';
import { isLeftOut, type WorkTreePlace } from '../work-tree-place.js';
import { type DiffFormat, rawAndOutput } from './diff-arguments.js';
import { compareBelow, treeOf } from './diff-below.js';
import { fitIntoDiff } from './diff-budget.js';
import { separateRaw } from './raw-and-output.js';
import { withoutIgnored } from './without-ignored.js';
import { type WriteOutput, writeOutputTo } from './write-output.js';

export interface WorkTreeDiffRequest {
  /** The commit that the files are compared with. */
  readonly against: string;
  readonly format: DiffFormat;
  /** A directory that the paths in the output begin with, as if all files were in it. */
  readonly below?: string | undefined;
  readonly temporaryRoot: string;
}

export interface WorkTreeDiffResult {
  /**
   * Nested repositories, named pipes, sockets and files with names that git refuses, which no patch can contain; files too
   * large to read (see diff-budget.ts); files and directories that can't be read, which count as unchanged.
   */
  readonly skipped: readonly BytePath[];
  /** Files that the patch adds or changes; a renamed file by its new name. */
  readonly changed: readonly BytePath[];
}

/**
 * Writes everything that a work tree changes against a commit: committed, staged, unstaged and untracked changes, hidden
 * edits, and conflicted files as they are on disk. `git apply` accepts the patch. Temporary files (an index, objects) are
 * kept elsewhere and deleted afterwards.
 */
export async function writeWorkTreeDiff(
  git: Git,
  place: WorkTreePlace,
  request: WorkTreeDiffRequest,
  write: WriteOutput,
): Promise<WorkTreeDiffResult> {
  try {
    return await writeReadable(git, place, request, write);
  } catch (error) {
    // Everything is read before the first byte is written, so that it can be done again.
    if (!isCarrelError(error, 'FILE_UNREADABLE')) throw error;
    const leftOut = findUnreadable(place.workTree, place.meter);
    return writeReadable(git, { ...place, leftOut }, request, write);
  }
}

/** FILE_UNREADABLE for what is not left out. */
async function writeReadable(
  git: Git,
  place: WorkTreePlace,
  request: WorkTreeDiffRequest,
  write: WriteOutput,
): Promise<WorkTreeDiffResult> {
  return withScratchPlace(git, { gitDir: place.gitDir }, request.temporaryRoot, ({ scratchObjects }) =>
    withScratchDirectory(request.temporaryRoot, async scratch => {
      const survey =
        (await surveyByStatus(git, place, scratch, null)) ??
        (await surveyWorkTree(git, place, scratch, null));
      const index: GitOptions = { ...survey.index, ...(scratchObjects ? { scratchObjects } : {}) };
      const beyond = survey.isPresent ? await stageEverything(git, index, place, survey) : [];
      const changed = await writeStaged(git, index, request, write);
      const refused = survey.untracked.filter(path => !isPlainPath(path));
      const opaque = place.isForeign ? survey.found.populatedSubmodules : [];
      const closed = await withoutIgnored(git, index, [...survey.found.special, ...(place.leftOut ?? [])]);
      const skipped = [...survey.found.nestedRepositories, ...opaque, ...refused, ...beyond, ...closed];
      return { skipped, changed };
    }),
  );
}

/** Writes what is staged; returns the files that it adds or changes. */
async function writeStaged(
  git: Git,
  index: GitOptions,
  { against, format, below }: WorkTreeDiffRequest,
  write: WriteOutput,
): Promise<readonly BytePath[]> {
  const chosen = rawAndOutput(format);
  const compared =
    below === undefined
      ? ['diff-index', '--cached', ...chosen, against, '--']
      : await compareBelow(git, index, {
          ...{ below, arguments: chosen },
          trees: [await treeOf(git, index, against), await git.text(['write-tree', '--missing-ok'], index)],
        });
  const { read, changed } = separateRaw(format, write);
  await git.run(compared, { ...index, ...writeOutputTo(read) });
  const prefix = below === undefined ? 0 : toBytePath(below).length + 1;
  return changed.map(path => path.slice(prefix));
}

/**
 * Like `git add --all`, but without nested repositories, which it would take for submodules, and without files that are
 * too large; returns those.
 */
async function stageEverything(
  git: Git,
  index: GitOptions,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
): Promise<BytePath[]> {
  const { files } = survey.found;
  const changed = await listChanged(git, index, place, survey);
  const submodules = new Set(place.isForeign ? [] : survey.found.populatedSubmodules);
  const isHere = (path: BytePath) => files.has(path) || submodules.has(path);
  const found = [...changed.filter(isHere), ...survey.untracked.filter(isPlainPath)];
  const { fitting, beyond } = fitIntoDiff(found, path => files.get(path)?.bytes ?? 0);
  for (const path of fitting) requireReadable(place, path, files);
  const present = place.isForeign ? await copyForGit(index, place, survey, fitting) : fitting;
  const env = place.isForeign && present.length > 0 ? await withoutFilterPrograms(git, index) : {};
  const gone = changed.filter(path => !isHere(path) && !isLeftOut(place, path));
  const isMissing = (path: BytePath) => !place.isForeign && isPlainlyMissing(place, path, files);
  await updateIndex(
    git,
    { ...index, env },
    ['--force-remove'],
    gone.filter(path => !isMissing(path)),
  );
  const rest = [...gone.filter(isMissing), ...present];
  await updateIndex(git, { ...index, env }, ['--add', '--remove', '--replace'], rest);
  return beyond;
}

/** `--remove` takes only what is not there; something else may be in its place, or a link on the way to it. */
function isPlainlyMissing({ workTree }: WorkTreePlace, path: BytePath, files: FoundFiles['files']): boolean {
  const isLinked = [...parentDirectories([path])].some(folder => files.get(folder)?.kind === 'symlink');
  return !isLinked && statExactly(workTree, path) === undefined;
}

function requireReadable({ workTree }: WorkTreePlace, path: BytePath, files: FoundFiles['files']): void {
  if (files.get(path)?.kind !== 'file') return;
  try {
    accessSync(toFsPath(workTree, path), constants.R_OK);
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') return;
    throw carrelError(
      'FILE_UNREADABLE',
      { path: join(workTree, displayPath(path)), problem: 'EACCES' },
      error,
    );
  }
}

async function listChanged(
  git: Git,
  index: GitOptions,
  place: WorkTreePlace,
  survey: WorkTreeSurvey & Partial<StatusSurvey>,
): Promise<BytePath[]> {
  if (survey.status) {
    const isChanged = ({ kind, isUnstaged, submodule }: StatusEntry) =>
      kind === 'conflicted' || (kind === 'tracked' && isUnstaged && (submodule?.hasOtherCommit ?? true));
    return survey.status.filter(isChanged).map(({ path }) => path);
  }
  if (place.isForeign) {
    const conflicted = survey.entries.filter(entry => entry.stage > 0).map(entry => entry.path);
    return [...new Set([...(await listDiffering(git, place, survey)), ...conflicted])];
  }
  const query = ['diff-files', '--name-only', '-z', '--ignore-submodules=dirty'];
  return [...new Set(await git.records(query, index))];
}

/** Copies them to where git reads them; returns those that exist. */
async function copyForGit(
  index: GitOptions,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  paths: readonly BytePath[],
): Promise<BytePath[]> {
  const copier = createCopier(place.workTree, index.workTree as string);
  const copied: BytePath[] = [];
  for (const path of paths) {
    const file = survey.found.files.get(path);
    if (file && (await copier.file(path, file))) copied.push(path);
  }
  return copied;
}

async function updateIndex(
  git: Git,
  index: GitOptions,
  flags: readonly string[],
  paths: readonly BytePath[],
): Promise<void> {
  if (paths.length === 0) return;
  const stdin = toBytes(paths.map(path => `${path}\0`).join(''));
  // With core.safecrlf=true git would refuse files with mixed line endings.
  const config = [...(index.config ?? []), 'core.safecrlf=false'];
  await git.run(['update-index', ...flags, '-z', '--stdin'], { ...index, config, stdin });
}
