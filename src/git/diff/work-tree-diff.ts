import { type BytePath, toBytes } from '../byte-path.js';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import { isPlainPath } from '../files/tree-path.js';
import type { Git, GitOptions } from '../git.js';
import { withScratchPlace } from '../objects/scratch-place.js';
import { listDiffering } from '../work-tree/foreign-changes.js';
import { createCopier } from '../work-tree/foreign-copier.js';
import { surveyWorkTree, type WorkTreeSurvey } from '../work-tree/survey.js';
import { withoutFilterPrograms } from '../work-tree/without-filter-programs.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { changedPathsArguments, type DiffFormat, diffArguments } from './diff-arguments.js';
import { fitIntoDiff } from './diff-budget.js';
import { type WriteOutput, writeOutputTo } from './write-output.js';

export interface WorkTreeDiffRequest {
  /** The commit that the files are compared with. */
  readonly against: string;
  readonly format: DiffFormat;
  readonly temporaryRoot: string;
}

export interface WorkTreeDiffResult {
  /**
   * Nested repositories and files with names that git refuses, which no patch can contain; and files too large to read (see
   * diff-budget.ts).
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
  return withScratchPlace(git, { gitDir: place.gitDir }, request.temporaryRoot, ({ scratchObjects }) =>
    withScratchDirectory(request.temporaryRoot, async scratch => {
      const survey = await surveyWorkTree(git, place, scratch, null);
      const index: GitOptions = { ...survey.index, ...(scratchObjects ? { scratchObjects } : {}) };
      const beyond = survey.isPresent ? await stageEverything(git, index, place, survey) : [];
      await git.run(['diff-index', '--cached', ...diffArguments(request.format), request.against, '--'], {
        ...index,
        ...writeOutputTo(write),
      });
      const changed = await git.records(
        ['diff-index', '--cached', ...changedPathsArguments, request.against, '--'],
        index,
      );
      const refused = survey.untracked.filter(path => !isPlainPath(path));
      const opaque = place.isForeign ? survey.found.populatedSubmodules : [];
      const skipped = [...survey.found.nestedRepositories, ...opaque, ...refused, ...beyond];
      return { skipped, changed };
    }),
  );
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
  const present = place.isForeign ? await copyForGit(index, place, survey, fitting) : fitting;
  const env = place.isForeign && present.length > 0 ? await withoutFilterPrograms(git, index) : {};
  const gone = changed.filter(path => !isHere(path));
  await updateIndex(git, { ...index, env }, ['--force-remove'], gone);
  await updateIndex(git, { ...index, env }, ['--add', '--replace'], present);
  return beyond;
}

async function listChanged(
  git: Git,
  index: GitOptions,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
): Promise<BytePath[]> {
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
