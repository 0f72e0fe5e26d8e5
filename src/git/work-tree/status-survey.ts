import { join } from 'node:path';
import { isCarrelError } from '../../domain/error/error.js';
import { type Git, splitRecords } from '../git.js';
import { GITLINK_MODE } from '../index/list-index-entries.js';
import { copyRevealed } from '../index/revealed-index.js';
import { type ScratchIndex, scratchIndexIn } from '../index/scratch-index.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { parseEntry, type StatusEntry } from './status-entries.js';
import { chooseWorkTree, findFiles, isWorkTreePresent, type WorkTreeSurvey } from './survey.js';
import { readHeaders, STATUS_QUERY, type StatusHeaders } from './work-tree-status.js';

/** A survey with what one `git status` says. */
export interface StatusSurvey extends WorkTreeSurvey {
  /** Nothing is hidden. When the directory is gone, only what is staged counts. */
  readonly status: readonly StatusEntry[];
  readonly headers: StatusHeaders;
}

/**
 * The same as `surveyWorkTree` with one process instead of five: `git status` on a copy of the index in which nothing is
 * hidden. Undefined where that is not enough: for files that must not control git, an index that only git can read, a HEAD
 * without its commit. With `all` a submodule with changes counts as changed, at the cost of a process for each.
 */
export async function surveyByStatus(
  git: Git,
  place: WorkTreePlace,
  scratch: string,
  regenerable: readonly string[] | null,
  submodules: 'all' | 'commits' = 'commits',
): Promise<StatusSurvey | undefined> {
  if (place.isForeign) return undefined;
  const isPresent = isWorkTreePresent(place);
  const workTree = await chooseWorkTree(place, isPresent, scratch);
  const index = scratchIndexIn({ ...place, workTree }, scratch);
  const entries = await copyRevealed({
    from: join(place.gitDir, 'index'),
    to: index.indexFile,
    workTree: isPresent ? workTree : undefined,
  });
  const isEntered = submodules === 'all' && entries?.some(({ mode }) => mode === GITLINK_MODE);
  const read = entries && (await readStatusOf(git, index, isEntered ? 'none' : 'dirty'));
  if (!read) return undefined;
  const { status, headers } = read;
  const listed = isPresent ? status.filter(({ kind }) => kind === 'untracked').map(({ path }) => path) : [];
  const untracked = listed.filter(path => !path.endsWith('/'));
  const files = await findFiles(place, entries, { untracked, ignoredDirectories: [] }, regenerable);
  return { isPresent, index, entries, hasUnreadableIndex: false, ...files, status, headers };
}

async function readStatusOf(git: Git, index: ScratchIndex, ignored: 'none' | 'dirty') {
  const query = [...STATUS_QUERY, `--ignore-submodules=${ignored}`];
  try {
    const { stdout, stderr } = await git.run(query, index);
    const records = splitRecords(stdout);
    return { status: records.flatMap(parseEntry), headers: readHeaders(records, stderr) };
  } catch (error) {
    if (isCarrelError(error, 'GIT_FAILED')) return undefined;
    throw error;
  }
}
