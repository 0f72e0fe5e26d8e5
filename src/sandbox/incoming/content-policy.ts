import type { BytePath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { type ChangedEntry, DIRECTORY, eachChangedEntry } from './changed-entries.js';
import { checkDirectories } from './check-directories.js';
import { checkSizes } from './check-sizes.js';
import { checkSubmodules } from './check-submodules.js';
import { checkSymlinks } from './check-symlinks.js';
import { describeEntry } from './describe-entry.js';
import { createFindings, EnoughFound, type Findings } from './findings.js';
import type { IncomingRepository } from './incoming-repository.js';
import type { TakeBackLimits } from './limits.js';
import { foldName, judgePath } from './names.js';
import type { NewCommit } from './new-commits.js';

export interface ContentRequest {
  readonly git: Git;
  readonly incoming: IncomingRepository;
  /** The repository that it is meant for. */
  readonly commonDir: string;
  /** New ones only, newest first. */
  readonly commits: readonly NewCommit[];
  readonly limits: TakeBackLimits;
  readonly signal: AbortSignal;
}

/**
 * What git itself lets pass and we do not: what is harmless here and is not on the machine of whoever gets it next.
 * Only what the new commits bring is judged; what the repository has already is the user's own. Gives the problems, each
 * a sentence.
 */
export async function checkContent(request: ContentRequest): Promise<readonly string[]> {
  const findings = createFindings();
  try {
    checkCommits(request, findings);
    const entries = await collectEntries(request, findings);
    const checked = await checkSizes(request, entries, findings);
    await checkSymlinks(request, checked, findings);
    await checkSubmodules(request, checked, findings);
    await checkDirectories(request, entries, findings);
  } catch (error) {
    if (!(error instanceof EnoughFound)) throw error;
  }
  return findings.problems;
}

/** More than anybody merges at once; every file is listed with all of them. */
const MOST_PARENTS = 64;

function checkCommits({ commits, limits }: ContentRequest, findings: Findings): void {
  if (commits.length > limits.commits) findings.stop(`there are more than ${limits.commits} commits`);
  const odd = commits.find(({ parents }) => parents.length > MOST_PARENTS);
  if (odd) findings.stop(`the commit ${odd.id} has ${odd.parents.length} parents`);
}

/** What has to be looked into; of all else there is nothing to remember. */
export interface CollectedEntries {
  /** Files with a content that no parent has at their path, the first of each content. */
  readonly files: ReadonlyMap<string, ChangedEntry>;
  readonly symlinks: readonly ChangedEntry[];
  readonly moduleLists: readonly ChangedEntry[];
  /** Directories that got a name, or that come together from two sides; what is at the top has an empty path. */
  readonly directories: readonly ChangedEntry[];
}

async function collectEntries(request: ContentRequest, findings: Findings): Promise<CollectedEntries> {
  const { git, incoming, limits, signal } = request;
  const commits = request.commits.map(({ id }) => id);
  const files = new Map<string, ChangedEntry>();
  const symlinks: ChangedEntry[] = [];
  const moduleLists: ChangedEntry[] = [];
  // git says nothing of a merge in which every file is as one side has it, so its top is looked at in any case.
  const directories = createDirectories(request.commits.filter(({ parents }) => parents.length > 1));
  let count = 0;
  await eachChangedEntry(git, incoming, commits, signal, entry => {
    count += 1;
    if (count > limits.entries) findings.stop(`more than ${limits.entries} files and directories are changed`);
    judgeEntry(entry, findings);
    directories.see(entry);
    if (entry.mode === DIRECTORY || entry.mode === SUBMODULE) return;
    files.set(entry.id, files.get(entry.id) ?? entry);
    if (entry.mode === SYMLINK) symlinks.push(entry);
    if (foldName(entry.path) === '.gitmodules') moduleLists.push(entry);
  });
  return { files, symlinks, moduleLists, directories: directories.list() };
}

const SYMLINK = '120000';
const SUBMODULE = '160000';
const MODES: ReadonlySet<string> = new Set(['100644', '100755', SYMLINK, DIRECTORY, SUBMODULE]);

function judgeEntry(entry: ChangedEntry, findings: Findings): void {
  if (!MODES.has(entry.mode)) findings.add(`${describeEntry(entry)} has the mode ${entry.mode}`);
  const problem = entry.before.length === 0 ? judgePath(entry.path) : undefined;
  if (problem !== undefined) findings.add(`${describeEntry(entry)} ${problem}`);
}

/**
 * Chooses the directories whose names may be new: not those of which git says that merely something in them was changed,
 * unless it was changed from two sides.
 */
function createDirectories(merges: readonly NewCommit[]) {
  const wanted: ChangedEntry[] = merges.map(topOf);
  /** Of the commit that is being listed; git lists a directory before what is in it. */
  let open = new Map<BytePath, ChangedEntry>();
  let commit = '';
  return {
    list: () => wanted,
    see(entry: ChangedEntry): void {
      if (entry.commit !== commit) open = new Map(entry.isMerge ? [] : [['', topOf({ id: entry.commit })]]);
      commit = entry.commit;
      if (entry.mode === DIRECTORY) open.set(entry.path, entry);
      const parent = entry.path.slice(0, Math.max(0, entry.path.lastIndexOf('/')));
      const chosen = [entry.before.length === 0 ? parent : undefined, entry.isMerge ? entry.path : undefined];
      for (const path of chosen) {
        const directory = path === undefined ? undefined : open.get(path);
        if (directory) wanted.push(directory);
        if (path !== undefined) open.delete(path);
      }
    },
  };
}

/** By a name that git resolves: the top is not in its list. */
const topOf = ({ id }: Pick<NewCommit, 'id'>): ChangedEntry => ({
  commit: id,
  path: '',
  mode: DIRECTORY,
  id: `${id}^{tree}`,
  before: [],
  isMerge: false,
});
