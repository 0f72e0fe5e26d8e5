import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BytePath, displayPath, toBytePath, toFsPath } from '../byte-path.js';
import { readDirectory, statEntry } from '../files/read-directory.js';
import type { Git, GitOptions } from '../git.js';
import { GITLINK_MODE, type IndexEntry } from '../index/list-index-entries.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import type { WorkTreeState } from './work-tree-state.js';

/** Why a submodule can't simply be fetched again. */
export type SubmoduleReason =
  | 'changes'
  | 'other-commit'
  | 'local-commits'
  | 'stash'
  /** Only ignored files: worth keeping, not worth refusing for. */
  | 'ignored-files'
  /** Its git directory is gone, damaged, or untrusted, so that only its files count. */
  | 'unreadable';

export interface SubmoduleState {
  readonly path: BytePath;
  readonly reasons: readonly SubmoduleReason[];
}

/**
 * Git directories of submodules that are no longer checked out but hold their own commits. A linked worktree has them in its
 * admin directory, and they are deleted with it. Paths are relative to `modules/`.
 */
export async function inspectUnusedModules(
  git: Git,
  place: WorkTreePlace,
  populated: readonly BytePath[],
): Promise<SubmoduleState[]> {
  if (place.gitDir === place.commonDir) return [];
  const used = new Set(populated.map(path => findGitDirectory(place, path)));
  const states: SubmoduleState[] = [];
  for (const path of listModules(place.gitDir, 'modules')) {
    const gitDir = toFsPath(place.gitDir, path).toString('utf8');
    if (used.has(gitDir)) continue;
    const reasons = place.isForeign ? UNREADABLE : await findCommitReasons(git, withoutFiles(gitDir));
    if (reasons.length > 0) states.push({ path: path.slice('modules/'.length), reasons });
  }
  return states;
}

const UNREADABLE: readonly SubmoduleReason[] = ['unreadable'];

/** A module's name may have slashes, so directories are searched until one is a git directory. */
function listModules(gitDir: string, directory: BytePath): BytePath[] {
  const entries = readDirectory(gitDir, directory);
  const names = new Set(entries.map(entry => entry.name));
  if (names.has('HEAD') && names.has('objects')) {
    return [directory, ...(names.has('modules') ? listModules(gitDir, `${directory}/modules`) : [])];
  }
  return entries.filter(entry => entry.stats.isDirectory()).flatMap(entry => listModules(gitDir, entry.path));
}

/** Inspects populated submodules, nested ones included. `readState` reads the state of a work tree. */
export async function inspectSubmodules(
  git: Git,
  place: WorkTreePlace,
  populated: readonly BytePath[],
  entries: readonly IndexEntry[],
  readState: (place: WorkTreePlace) => Promise<WorkTreeState>,
): Promise<SubmoduleState[]> {
  const expected = new Map(
    entries.filter(entry => entry.mode === GITLINK_MODE).map(entry => [entry.path, entry.id]),
  );
  const states: SubmoduleState[] = [];
  for (const path of populated) {
    const inner = await findSubmodulePlace(git, place, path);
    const reasons = inner ? await findReasons(git, inner, expected.get(path), readState) : UNREADABLE;
    states.push({ path, reasons });
  }
  return states;
}

async function findSubmodulePlace(
  git: Git,
  place: WorkTreePlace,
  path: BytePath,
): Promise<WorkTreePlace | undefined> {
  const gitDir = findGitDirectory(place, path);
  // git is given its directories as text.
  if (!gitDir || toBytePath(displayPath(path)) !== path) return undefined;
  const inner = { commonDir: gitDir, gitDir, workTree: join(place.workTree, displayPath(path)) };
  const check = await git.run(['rev-parse', '--git-dir'], { ...withoutFiles(gitDir), answers: [0, 128] });
  return check.exitCode === 0 ? inner : undefined;
}

/**
 * The git directory behind the `.git` of a nested repository or submodule; undefined when it leads nowhere. Our git never
 * enters a git directory among foreign files, and its link is not followed.
 */
export function findGitDirectory(place: WorkTreePlace, path: BytePath): string | undefined {
  if (place.isForeign) return undefined;
  const dotGit = statEntry(place.workTree, `${path}/.git`);
  if (dotGit?.isDirectory()) return toFsPath(place.workTree, `${path}/.git`).toString('utf8');
  if (!dotGit?.isFile()) return undefined;
  const target = /^gitdir: (.+)$/m.exec(readFileSync(toFsPath(place.workTree, `${path}/.git`), 'utf8'))?.[1];
  const gitDir = target && resolve(originalWorkTree(place), displayPath(path), target);
  return gitDir && statEntry(gitDir, '')?.isDirectory() ? gitDir : undefined;
}

/**
 * For queries about refs and commits. A submodule's configuration names the path of its files, and git fails when they have
 * been moved; with an explicit path that is not read.
 */
export const withoutFiles = (gitDir: string): GitOptions => ({ gitDir, workTree: gitDir });

/** Relative links are resolved from the path that git knows, not from where the files may have been moved. */
function originalWorkTree(place: WorkTreePlace): string {
  if (!statEntry(place.gitDir, 'gitdir')?.isFile()) return place.workTree;
  return dirname(resolve(place.gitDir, readFileSync(join(place.gitDir, 'gitdir'), 'utf8').trim()));
}

async function findReasons(
  git: Git,
  place: WorkTreePlace,
  expected: string | undefined,
  readState: (place: WorkTreePlace) => Promise<WorkTreeState>,
): Promise<SubmoduleReason[]> {
  const at = withoutFiles(place.gitDir);
  const head = await findCommit(git, at, 'HEAD');
  const state = await readState(place);
  return [
    ...(hasChanges(state) ? (['changes'] as const) : []),
    ...(head === expected ? [] : (['other-commit'] as const)),
    ...(await findCommitReasons(git, at)),
    ...(state.ignored.taken.length > 0 ? (['ignored-files'] as const) : []),
  ];
}

async function findCommitReasons(git: Git, at: GitOptions): Promise<SubmoduleReason[]> {
  const head = await findCommit(git, at, 'HEAD');
  return [
    ...((await hasLocalCommits(git, at, head)) ? (['local-commits'] as const) : []),
    ...((await findCommit(git, at, 'refs/stash')) ? (['stash'] as const) : []),
  ];
}

async function findCommit(git: Git, at: GitOptions, name: string): Promise<string | undefined> {
  const result = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    ...at,
    answers: [0, 1],
  });
  return result.exitCode === 0 ? result.stdout.toString('utf8').trim() : undefined;
}

function hasChanges(state: WorkTreeState): boolean {
  const lists = [state.staged, state.modified, state.hidden, state.conflicted, state.untracked];
  const inner = [state.nestedRepositories, state.dirtySubmodules];
  return state.operation !== null || [...lists, ...inner].some(list => list.length > 0);
}

async function hasLocalCommits(git: Git, at: GitOptions, head: string | undefined): Promise<boolean> {
  const tips = head ? [head, '--branches'] : ['--branches'];
  return (await git.text(['rev-list', '--max-count=1', ...tips, '--not', '--remotes'], at)) !== '';
}
