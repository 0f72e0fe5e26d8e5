import type { WorkspaceRecord } from '../domain/workspace.js';
import { resolveCommit } from '../git/refs.js';
import type { Context } from '../operations/context.js';
import { keepCommit, keptPin } from '../workspace/kept-pins.js';

/**
 * Agents amend, reset and rebase. What the branch was at before stays pinned as long as the workspace is there, and in
 * the snapshot after that. Gives warnings.
 */
export async function keepRewritten(
  { git, backends }: Context,
  record: WorkspaceRecord,
  before: string | null,
  commit: string | null,
): Promise<string[]> {
  const { commonDir: gitDir, branch, id } = record;
  // A repository of the user's own has its reflog, and no pins of ours.
  if (gitDir === null || before === null || commit === null || !backends[record.backend].landing) return [];
  if (before === commit) return [];
  if (!(await resolveCommit(git, { gitDir }, before)))
    return [`${branch} was at ${before.slice(0, 10)} before, which is not in the repository any more`];
  if (await git.succeeds(['merge-base', '--is-ancestor', before, commit], { gitDir })) return [];
  await keepCommit(git, gitDir, id, before);
  return [
    `${branch} was rewritten: it was at ${before.slice(0, 10)} before, which is kept as ${keptPin(id, before)}`,
  ];
}
