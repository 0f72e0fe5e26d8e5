import { isCarrelError } from '../../domain/error/error.js';
import { createRisk, type Risk, type RiskKind } from '../../domain/workspace/risk.js';
import { type BytePath, displayPath } from '../../git/byte-path.js';
import type { WorkTreeState } from '../../git/work-tree/work-tree-state.js';

/** What removing would lose of the files of a work tree, as risks with messages. */
export function listFileRisks(state: WorkTreeState): Risk[] {
  const changed = [...new Set([...state.staged, ...state.modified])];
  const tooLarge = state.ignored.beyondLimit.map(omitted => omitted.path);
  return [
    ...fileRisk('changes', 'uncommitted changes in', changed),
    ...fileRisk('conflicted', 'unresolved conflicts in', state.conflicted),
    ...fileRisk(
      'hidden-changes',
      'changes in files that git is set to ignore (assume-unchanged, skip-worktree):',
      state.hidden,
    ),
    ...fileRisk('untracked', 'untracked files:', state.untracked),
    ...fileRisk('nested-repository', 'nested repositories:', state.nestedRepositories),
    ...fileRisk(
      'submodule',
      'submodules with uncommitted or unpushed work:',
      state.dirtySubmodules.map(submodule => submodule.path),
    ),
    ...fileRisk('too-large', 'files too large for a snapshot, which would be lost:', state.tooLarge),
    ...itemRisk('large-ignored', 'ignored files too large for a snapshot:', tooLarge),
    ...itemRisk(
      'unreadable',
      'git cannot read the index, so staged changes are unknown:',
      state.hasUnreadableIndex ? ['.git/index'] : [],
    ),
    ...(state.operation
      ? [createRisk('in-progress', `a ${state.operation} is in progress`, [state.operation])]
      : []),
  ];
}

/** The same for files that may be unreadable or too large: that becomes a risk, and the others are still found. */
export async function findFileRisks(readRisks: () => Promise<Risk[]>): Promise<Risk[]> {
  try {
    return await readRisks();
  } catch (error) {
    if (!isCarrelError(error, 'FILE_UNREADABLE', 'LOOK_TOO_LARGE', 'SNAPSHOT_TOO_LARGE')) throw error;
    const { path } = error.details as { path: string };
    const kind = error.code === 'SNAPSHOT_TOO_LARGE' ? 'too-large' : 'unreadable';
    return [createRisk(kind, error.message, [path], error.hint)];
  }
}

const fileRisk = (kind: RiskKind, text: string, paths: readonly BytePath[]): Risk[] =>
  itemRisk(kind, text, paths.map(displayPath));

/** Names that fit into one sentence; `items` has them all. */
const NAMED = 3;

export function itemRisk(kind: RiskKind, text: string, items: readonly string[]): Risk[] {
  if (items.length === 0) return [];
  const more = items.length > NAMED ? ` and ${items.length - NAMED} more` : '';
  return [createRisk(kind, `${text} ${items.slice(0, NAMED).join(', ')}${more}`, items)];
}
