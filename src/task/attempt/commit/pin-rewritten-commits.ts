import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { resolveCommit } from '../../../git/refs/refs.js';
import type { Context } from '../../../operations/context.js';
import { keepCommit, keptPin } from '../../../workspace/snapshot/kept-pins.js';

/**
 * Agents amend, reset and rebase. The branch's old commit stays pinned as long as the workspace exists, and is in
 * the snapshot after that. Returns warnings.
 */
export async function pinRewrittenCommits(
  { git, backends }: Pick<Context, 'backends' | 'git'>,
  record: WorkspaceRecord,
  before: string | null,
  commit: string | null,
): Promise<string[]> {
  const { commonDir: gitDir, branch, id } = record;
  // The user's own repository has its reflog and gets no pins.
  if (gitDir === null || before === null || commit === null || !backends.of(record.backend).landing)
    return [];
  if (before === commit) return [];
  if (!(await resolveCommit(git, { gitDir }, before)))
    return [`${branch} was at ${before.slice(0, 10)} before, which is no longer in the repository`];
  if (await git.succeeds(['merge-base', '--is-ancestor', before, commit], { gitDir })) return [];
  await keepCommit(git, gitDir, id, before);
  return [
    `${branch} was rewritten: it was at ${before.slice(0, 10)} before, which is kept as ${keptPin(id, before)}`,
  ];
}
