import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { diffArguments } from '../../git/diff/diff-arguments.js';
import { writeDiffBelow } from '../../git/diff/diff-below.js';
import { type WriteOutput, writeOutputTo } from '../../git/diff/write-output.js';
import { readRef, resolveCommit } from '../../git/refs/refs.js';
import type { Context } from '../../operations/context.js';
import { locateRepository } from '../../operations/repository/locate-repository.js';
import { diffWorkspace } from '../../operations/workspace/diff.js';
import { listPlaces, type TaskPlace } from './task-branch.js';

/**
 * The changes of a task as a patch: from its workspace while it exists, including uncommitted changes; then from its
 * branch, or from its last commit if git still has it. TASK_DIFF_GONE.
 */
export async function diffTask(context: Context, task: TaskRecord, write: WriteOutput): Promise<void> {
  const { workspaceId } = task;
  const record = workspaceId === null ? undefined : await context.store.workspaces.find(workspaceId);
  if (record && (await diffFiles(context, record, write))) return;
  const ranges: Range[] = [];
  for (const place of listPlaces(task)) ranges.push(await requireCommits(context, task, place));
  for (const range of ranges) await diffRange(context, range, write);
}

interface Range {
  /** Comes before the paths; null for a task with one repository. */
  readonly alias: string | null;
  readonly gitDir: string;
  readonly base: string;
  readonly commit: string;
}

async function diffRange(
  { git, places }: Pick<Context, 'git' | 'places'>,
  { alias, gitDir, base, commit }: Range,
  write: WriteOutput,
): Promise<void> {
  if (alias !== null) {
    const request = { base, commit, below: alias, temporaryRoot: places.temporaryRoot };
    return writeDiffBelow(git, { gitDir }, request, write);
  }
  const range = ['--end-of-options', base, commit];
  await git.run(['diff-tree', '-r', ...diffArguments('patch'), ...range], {
    gitDir,
    ...writeOutputTo(write),
  });
}

/** False when it is being removed, as at the end of a task: then its work is on the branch. Nothing was written. */
async function diffFiles(context: Context, record: WorkspaceRecord, write: WriteOutput): Promise<boolean> {
  let isWritten = false;
  const note: WriteOutput = chunk => {
    isWritten = true;
    return write(chunk);
  };
  try {
    await diffWorkspace(context, { repository: record.repository, name: record.id, format: 'patch' }, note);
    return true;
  } catch (error) {
    if (isWritten || !isCarrelError(error, 'WORKSPACE_BUSY', 'WORKSPACE_NOT_FOUND')) throw error;
    return false;
  }
}

async function requireCommits(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  { id, branch }: TaskRecord,
  { alias, base, head, repository }: TaskPlace,
): Promise<Range> {
  if (base === null || branch === null) throw gone(id, 'it has no workspace and no branch yet');
  const { commonDir: gitDir } = await locateRepository(context, repository);
  if (gitDir === null) throw gone(id, 'its repository is not a git repository');
  const commit =
    (await readRef(context.git, { gitDir }, `refs/heads/${branch}`)) ??
    (head === null ? undefined : await resolveCommit(context.git, { gitDir }, head));
  if (commit === undefined) throw gone(id, `its workspace and its branch ${branch} are gone`);
  return { alias, gitDir, base, commit };
}

const gone = (id: string, problem: string): Error => carrelError('TASK_DIFF_GONE', { id, problem });
