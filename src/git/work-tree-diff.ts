import { type BytePath, toBytes } from './byte-path.js';
import { isPlainPath } from './capture/tree-path.js';
import { type DiffFormat, diffArguments } from './diff-arguments.js';
import type { Git, GitOptions } from './git.js';
import { withScratchDirectory } from './scratch-directory.js';
import { withScratchPlace } from './scratch-place.js';
import type { WorkTreePlace } from './work-tree/place.js';
import { surveyWorkTree, type WorkTreeSurvey } from './work-tree/survey.js';

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
  write: (chunk: Buffer) => void,
): Promise<WorkTreeDiffResult> {
  return withScratchPlace(git, { gitDir: place.gitDir }, request.temporaryRoot, ({ scratchObjects }) =>
    withScratchDirectory(request.temporaryRoot, async scratch => {
      const survey = await surveyWorkTree(git, place, scratch, []);
      const index: GitOptions = { ...survey.index, ...(scratchObjects ? { scratchObjects } : {}) };
      if (survey.isPresent) await stageEverything(git, index, survey);
      await git.run(['diff-index', '--cached', ...diffArguments(request.format), request.against, '--'], {
        ...index,
        onOutput: (stream, chunk) => stream === 'stdout' && write(chunk),
      });
      const refused = survey.untracked.filter(path => !isPlainPath(path));
      return { skipped: [...survey.found.nestedRepositories, ...refused] };
    }),
  );
}

/** Like `git add --all`, but without repositories within, which that would take for submodules. */
async function stageEverything(git: Git, index: GitOptions, survey: WorkTreeSurvey): Promise<void> {
  const changed = new Set(
    await git.records(['diff-files', '--name-only', '-z', '--ignore-submodules=dirty'], index),
  );
  const { files } = survey.found;
  const submodules = new Set(survey.found.populatedSubmodules);
  const gone = [...changed].filter(path => !files.has(path) && !submodules.has(path));
  const present = [...changed].filter(path => files.has(path) || submodules.has(path));
  const untracked = survey.untracked.filter(isPlainPath);
  await updateIndex(git, index, ['--force-remove'], gone);
  await updateIndex(git, index, ['--add', '--replace'], [...present, ...untracked]);
}

async function updateIndex(
  git: Git,
  index: GitOptions,
  flags: readonly string[],
  paths: readonly BytePath[],
): Promise<void> {
  const stdin = toBytes(paths.map(path => `${path}\0`).join(''));
  // With core.safecrlf=true git would refuse files with mixed line endings.
  const config = [...(index.config ?? []), 'core.safecrlf=false'];
  await git.run(['update-index', ...flags, '-z', '--stdin'], { ...index, config, stdin });
}
