import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { withoutFiles } from '../../git/work-tree/submodule-state.js';
import type { Context } from '../../operations/context.js';
import { requireImportedCommits } from '../../operations/sandbox/import-commits.js';
import { runInside } from '../../operations/sandbox/run-in-sandbox.js';
import { buildLandCommit } from '../../workspace/work/land-commit.js';
import { requireTip } from '../attempt/commit/branch-tip.js';
import type { JoinRequest } from './join-work.js';
import { removeJoinedWorkspace } from './remove-joined-workspace.js';

/**
 * For a task with a sandbox. The merge is made outside, from commits only, so that conflicts are the same as elsewhere;
 * then the git inside, which sees the repository's objects, fast-forwards to it with its files, and the branch outside
 * follows as with any commit from inside. Returns warnings. LAND_CONFLICT, LAND_CHECKOUT_DIRTY, TAKE_BACK_REFUSED.
 */
export async function joinInSandbox(
  context: Context,
  task: WorkspaceRecord,
  stage: WorkspaceRecord,
  { message, signal }: JoinRequest,
): Promise<string[]> {
  await requireImportedCommits(context, stage, signal);
  await requireImportedCommits(context, task, signal);
  const before = await requireTip(context, task);
  const tip = await requireTip(context, stage);
  const place = withoutFiles(task.commonDir as string);
  if (!(await context.git.succeeds(['merge-base', '--is-ancestor', tip, before], place))) {
    const work = { name: stage.name, into: task.branch as string, before, tip, message };
    await fastForward(context, task, await buildLandCommit(context.git, place, 'merge', work), signal);
  }
  return removeJoinedWorkspace(context, stage);
}

/** Git checks every file before it writes the first one. */
async function fastForward(
  context: Pick<Context, 'sandboxes' | 'ids' | 'narrate'>,
  task: WorkspaceRecord,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { exitCode, stderr } = await runInside(context, task, {
    id: createId('op', context.ids),
    command: ['git', '-c', 'core.hooksPath=/dev/null', 'merge', '--quiet', '--ff-only', commit],
    workingDirectory: task.path,
    timeoutMs: LIMIT_MS,
    maxOutputBytes: 64 * 1024,
    signal,
  });
  signal?.throwIfAborted();
  if (exitCode !== 0) {
    const output = stderr.toString('utf8').trim().split('\n').slice(0, 5).join(' ');
    throw carrelError('LAND_CHECKOUT_DIRTY', {
      into: task.branch as string,
      path: task.path,
      files: [`(git inside the sandbox printed: ${output || `exit status ${exitCode}`})`],
    });
  }
  await requireImportedCommits(context, task, signal);
}

const LIMIT_MS = 5 * 60_000;
