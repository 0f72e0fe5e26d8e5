import type { Changes } from '../../domain/workspace.js';
import type { BytePath } from '../byte-path.js';
import type { Git } from '../git.js';
import { resolveCommit, symbolicHead } from '../refs.js';
import type { WorkTreeStatus } from '../status.js';
import { readWorkTreeState, type WorkTreeState } from '../work-tree-state.js';
import type { WorkTreePlace } from './place.js';

/** What `readStatus` tells, of a foreign work tree. */
export async function readForeignStatus(
  git: Git,
  place: WorkTreePlace,
  temporaryRoot: string,
): Promise<WorkTreeStatus> {
  const at = { gitDir: place.gitDir };
  return {
    head: (await resolveCommit(git, at, 'HEAD')) ?? null,
    branch: (await symbolicHead(git, at)) ?? null,
    changes: countChanges(await readForeignState(git, place, temporaryRoot)),
  };
}

/**
 * All that is in no commit. What is in a submodule that only the sandbox can enter is not for this repository to commit.
 */
export async function listForeignUncommitted(
  git: Git,
  place: WorkTreePlace,
  temporaryRoot: string,
): Promise<BytePath[]> {
  const state = await readForeignState(git, place, temporaryRoot);
  const submodules = state.dirtySubmodules.filter(({ reasons }) => !reasons.includes('unreadable'));
  return [
    ...new Set([...state.staged, ...state.modified, ...state.conflicted]),
    ...state.untracked,
    ...state.nestedRepositories,
    ...submodules.map(({ path }) => path),
  ];
}

/** The state without what only removing asks about. */
const readForeignState = (git: Git, place: WorkTreePlace, temporaryRoot: string): Promise<WorkTreeState> =>
  readWorkTreeState(git, place, {
    limits: null,
    included: [],
    temporaryRoot,
  });

/** As git counts them: a repository within is one untracked thing, and a submodule with work of its own one change. */
const countChanges = (state: WorkTreeState): Changes => ({
  staged: state.staged.length,
  unstaged: state.modified.length + state.dirtySubmodules.length,
  untracked: state.untracked.length + state.nestedRepositories.length,
  conflicted: state.conflicted.length,
});
