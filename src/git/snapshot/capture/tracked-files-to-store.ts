import type { BytePath } from '../../byte-path.js';
import type { Git, GitOptions } from '../../git.js';
import { GITLINK_MODE, type IndexEntry, SYMLINK_MODE } from '../../index/list-index-entries.js';
import { readObjectInfos } from '../../objects/read-objects.js';
import type { TreeFile } from '../../objects/write-objects.js';
import { listDiffering } from '../../work-tree/foreign-changes.js';
import { findGitDirectory, withoutFiles } from '../../work-tree/submodule-state.js';
import type { WorkTreeSurvey } from '../../work-tree/survey.js';
import { withoutFilterPrograms } from '../../work-tree/without-filter-programs.js';
import { isLeftOut, type WorkTreePlace } from '../../work-tree-place.js';
import { findLargeFiles, type LargeFile, type LargeFileCandidate } from '../large-files.js';

/** How tracked files on disk compare with the index. */
export interface TrackedFiles {
  /** In the index, but not on the disk. */
  readonly removed: readonly IndexEntry[];
  /** Whose bytes on the disk are not, or may not be, those of the index's blob. */
  readonly changed: readonly BytePath[];
  /** Submodules at the commit that is checked out in them. */
  readonly submodules: readonly TreeFile[];
  /** Not on the disk because they are outside of a sparse checkout. */
  readonly absent: readonly BytePath[];
  readonly largeFiles: readonly LargeFile[];
}

/**
 * Finds which tracked files have to be stored. git's own answer is not enough: it considers a file unchanged if it would be
 * after cleaning, and cleaning may drop bytes that a checkout would not bring back (mixed line endings, the output cells of a
 * notebook). So files that a filter could apply to are compared byte for byte.
 */
export async function sortTracked(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  removed?: ReadonlySet<BytePath>,
): Promise<TrackedFiles> {
  // Then the snapshot has the files of the index instead of none.
  if (!survey.isPresent) return { removed: [], changed: [], submodules: [], absent: [], largeFiles: [] };
  const { files, directories } = survey.found;
  const merged = survey.entries.filter(entry => entry.stage === 0);
  const isHere = (entry: IndexEntry) =>
    files.has(entry.path) || (entry.mode === GITLINK_MODE && directories.has(entry.path));
  // It is unknown whether skipped files have changed.
  const gone = merged.filter(entry => !isHere(entry) && !isLeftOut(place, entry.path));
  const blobs = merged.filter(entry => files.has(entry.path));
  const conflicted = survey.entries.filter(entry => entry.stage > 0 && files.has(entry.path));
  const { changed, largeFiles } = await findChanged(git, place, survey, blobs);
  return {
    removed: gone.filter(entry => !entry.skipWorktree && (removed?.has(entry.path) ?? true)),
    changed: [...new Set([...changed, ...conflicted.map(entry => entry.path)])],
    submodules: await findSubmoduleHeads(git, place, survey, merged),
    absent: gone.filter(entry => entry.skipWorktree).map(entry => entry.path),
    largeFiles,
  };
}

async function findChanged(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  blobs: readonly IndexEntry[],
) {
  const reported = await listReported(git, place, survey);
  const quiet = blobs.filter(entry => !reported.has(entry.path));
  const resized = await listResized(git, place, survey, quiet);
  const filtered = await listFiltered(git, survey.index);
  const suspects = blobs.filter(entry => [reported, resized, filtered].some(list => list.has(entry.path)));
  const largeFiles = await findLargeFiles(
    git,
    place,
    suspects.filter(entry => filtered.has(entry.path)).map(entry => toCandidate(entry, survey, reported)),
  );
  const isLarge = new Set(largeFiles.map(file => file.path));
  return { changed: suspects.map(entry => entry.path).filter(path => !isLarge.has(path)), largeFiles };
}

const toCandidate = (
  entry: IndexEntry,
  survey: WorkTreeSurvey,
  reported: ReadonlySet<BytePath>,
): LargeFileCandidate => ({
  path: entry.path,
  id: entry.id,
  bytes: survey.found.files.get(entry.path)?.bytes ?? 0,
  isUntouched: !reported.has(entry.path),
});

/**
 * Not refreshed before: a file that was only touched may be listed, and is then just stored again. To check a file from the
 * second of the last refresh, git would clean it; without running any filter program.
 */
async function listReported(git: Git, place: WorkTreePlace, survey: WorkTreeSurvey): Promise<Set<BytePath>> {
  if (place.isForeign) return new Set(await listDiffering(git, place, survey));
  const { index } = survey;
  const query = ['diff-files', '--name-only', '-z', '--ignore-submodules=all'];
  return new Set(await git.records(query, { ...index, env: await withoutFilterPrograms(git, index) }));
}

/** Line endings and `$Id$` change a file's size; one of the same size is the blob itself. */
async function listResized(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  entries: readonly IndexEntry[],
) {
  const regular = entries.filter(entry => entry.mode !== SYMLINK_MODE);
  const ids = [...new Set(regular.map(entry => entry.id))];
  const infos = await readObjectInfos(git, place.commonDir, ids);
  const sizes = new Map(ids.map((id, at) => [id, infos[at]?.bytes]));
  const resized = regular.filter(entry => sizes.get(entry.id) !== survey.found.files.get(entry.path)?.bytes);
  return new Set(resized.map(entry => entry.path));
}

/** Filter programs and other encodings may change content and keep the size. */
export async function listFiltered(git: Git, index: GitOptions): Promise<Set<BytePath>> {
  const options = { ...index, env: { GIT_LITERAL_PATHSPECS: '0' } };
  const lists = await Promise.all(
    ['filter', 'working-tree-encoding'].map(attribute =>
      git.records(['ls-files', '-z', '--', `:(exclude,attr:!${attribute})`], options),
    ),
  );
  return new Set(lists.flat());
}

async function findSubmoduleHeads(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  merged: readonly IndexEntry[],
): Promise<TreeFile[]> {
  const populated = new Set(survey.found.populatedSubmodules);
  const heads: TreeFile[] = [];
  for (const { path, mode, id } of merged.filter(entry => populated.has(entry.path))) {
    const gitDir = findGitDirectory(place, path);
    const head = gitDir && (await readHead(git, gitDir));
    heads.push({ path, mode, id: head || id });
  }
  return heads;
}

/** Empty when there is none, or when the git directory is invalid. */
async function readHead(git: Git, gitDir: string): Promise<string> {
  const options = { ...withoutFiles(gitDir), answers: [0, 1, 128] };
  return git.text(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], options);
}
