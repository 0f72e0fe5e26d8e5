import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What git leaves in a worktree's own git directory while something waits to be continued. */
const TRACES = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['sequencer', 'cherry-pick'],
  ['BISECT_LOG', 'bisect'],
] as const;

export type OperationInProgress = (typeof TRACES)[number][1];

/** An unfinished merge, rebase or similar. */
export async function findOperationInProgress(gitDir: string): Promise<OperationInProgress | undefined> {
  for (const [name, operation] of TRACES) {
    const found = await lstat(join(gitDir, name)).catch(() => undefined);
    if (found) return operation;
  }
  return undefined;
}

/**
 * Full name of the branch that an operation detached HEAD from and will return to. It counts as checked out: the operation
 * fails when the branch moves in the meantime.
 */
export async function findBranchToReturnTo(gitDir: string): Promise<string | undefined> {
  const read = (name: string) =>
    readFile(join(gitDir, name), 'utf8').then(
      text => text.trim(),
      () => undefined,
    );
  const rebased = (await read('rebase-merge/head-name')) ?? (await read('rebase-apply/head-name'));
  if (rebased) return rebased;
  const bisected = await read('BISECT_START');
  return bisected && `refs/heads/${bisected}`;
}
