import { createRisk, type Risk, type RiskKind } from '../domain/risk.js';
import { type BytePath, displayPath } from '../git/byte-path.js';
import type { WorkTreeState } from '../git/work-tree-state.js';

/** What removing would lose of the files of a work tree, in words. */
export function listFileRisks(state: WorkTreeState): Risk[] {
  const changed = [...new Set([...state.staged, ...state.modified])];
  const tooLarge = state.ignored.beyondLimit.map(omitted => omitted.path);
  return [
    ...fileRisk('changes', 'uncommitted changes in', changed),
    ...fileRisk('conflicted', 'unsettled conflicts in', state.conflicted),
    ...fileRisk('hidden-changes', 'changes that git was told not to look at in', state.hidden),
    ...fileRisk('untracked', 'untracked files:', state.untracked),
    ...fileRisk('nested-repository', 'nested repositories:', state.nestedRepositories),
    ...fileRisk(
      'submodule',
      'submodules with work of their own:',
      state.dirtySubmodules.map(submodule => submodule.path),
    ),
    ...itemRisk('large-ignored', 'ignored files too large for a snapshot:', tooLarge),
    ...(state.operation
      ? [createRisk('in-progress', `a ${state.operation} is in progress`, [state.operation])]
      : []),
  ];
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
