import type { Changes } from '../../domain/workspace/workspace.js';
import type { BytePath } from '../byte-path.js';
import type { Git } from '../git.js';
import { resolveCommit, symbolicHead } from '../refs/refs.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { readWorkTreeState, type WorkTreeState } from './work-tree-state.js';
import type { WorkTreeStatus } from './work-tree-status.js';

/** Like `readStatus`, for a foreign work tree. */
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
 * Everything that is in no commit. Changes in a submodule of the sandbox are not for this repository to commit.
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

export const listForeignUntracked = async (
  git: Git,
  place: WorkTreePlace,
  temporaryRoot: string,
): Promise<readonly BytePath[]> => (await readForeignState(git, place, temporaryRoot)).untracked;

/** The state without the parts that only removing needs. */
const readForeignState = (git: Git, place: WorkTreePlace, temporaryRoot: string): Promise<WorkTreeState> =>
  readWorkTreeState(git, place, {
    limits: null,
    included: [],
    temporaryRoot,
  });

/** As git counts them: a nested repository is one untracked entry, and a submodule with work one change. */
const countChanges = (state: WorkTreeState): Changes => ({
  staged: state.staged.length,
  unstaged: state.modified.length + state.dirtySubmodules.length,
  untracked: state.untracked.length + state.nestedRepositories.length,
  conflicted: state.conflicted.length,
});
