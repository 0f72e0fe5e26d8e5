import { type BytePath, toBytes } from './byte-path.js';
import { isPlainPath } from './capture/tree-path.js';
import { type DiffFormat, diffArguments } from './diff-arguments.js';
import type { Git, GitOptions } from './git.js';
import { withScratchDirectory } from './scratch-directory.js';
import { withScratchPlace } from './scratch-place.js';
import { listDiffering } from './work-tree/foreign-changes.js';
import { createCopier } from './work-tree/foreign-copier.js';
import type { WorkTreePlace } from './work-tree/place.js';
import { surveyWorkTree, type WorkTreeSurvey } from './work-tree/survey.js';
import { withoutFilterPrograms } from './work-tree/without-filter-programs.js';
import { type WriteOutput, writeOutputTo } from './write-output.js';

export interface WorkTreeDiffRequest {
  /** The commit that the files are compared with. */
  readonly against: string;
  readonly format: DiffFormat;
  readonly temporaryRoot: string;
}

export interface WorkTreeDiffResult {
  /** Repositories within the work tree and files with names that git refuses; no patch can tell of them. */
  readonly skipped: readonly BytePath[];
}

/**
 * Writes all that a work tree changes against a commit: committed, staged, unstaged and untracked, hidden edits too, and
 * in a conflict the file as it is. `git apply` takes the patch. What is made on the way (an index, objects) is made
 * aside and gone afterwards.
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
      if (survey.isPresent) await stageEverything(git, index, place, survey);
      await git.run(['diff-index', '--cached', ...diffArguments(request.format), request.against, '--'], {
        ...index,
        ...writeOutputTo(write),
      });
      const refused = survey.untracked.filter(path => !isPlainPath(path));
      const opaque = place.isForeign ? survey.found.populatedSubmodules : [];
      return { skipped: [...survey.found.nestedRepositories, ...opaque, ...refused] };
    }),
  );
}

/** Like `git add --all`, but without repositories within, which that would take for submodules. */
async function stageEverything(
  git: Git,
  index: GitOptions,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
): Promise<void> {
  const { files } = survey.found;
  const changed = await listChanged(git, index, place, survey);
  const submodules = new Set(place.isForeign ? [] : survey.found.populatedSubmodules);
  const isHere = (path: BytePath) => files.has(path) || submodules.has(path);
  const found = [...changed.filter(isHere), ...survey.untracked.filter(isPlainPath)];
  const present = place.isForeign ? await bringCopies(index, place, survey, found) : found;
  const env = place.isForeign && present.length > 0 ? await withoutFilterPrograms(git, index) : {};
  const gone = changed.filter(path => !isHere(path));
  await updateIndex(git, { ...index, env }, ['--force-remove'], gone);
  await updateIndex(git, { ...index, env }, ['--add', '--replace'], present);
}

async function listChanged(
  git: Git,
  index: GitOptions,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
): Promise<BytePath[]> {
  if (place.isForeign) {
    const conflicted = survey.entries.filter(entry => entry.stage > 0).map(entry => entry.path);
    return [...new Set([...(await listDiffering(place, survey)), ...conflicted])];
  }
  const query = ['diff-files', '--name-only', '-z', '--ignore-submodules=dirty'];
  return [...new Set(await git.records(query, index))];
}

/** To where git looks for them; gives those that are there. */
async function bringCopies(
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
