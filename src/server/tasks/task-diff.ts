import { carrelError } from '../../domain/error.js';
import type { TaskRecord } from '../../domain/task.js';
import { diffArguments } from '../../git/diff-arguments.js';
import { readRef, resolveCommit } from '../../git/refs.js';
import { type WriteOutput, writeOutputTo } from '../../git/write-output.js';
import { diffWorkspace } from '../../operations/diff.js';
import { locateRepository } from '../../operations/locate-repository.js';
import type { ServerContext } from '../server-context.js';

/**
 * What a task has changed, as a patch: from its workspace while that is there, with what is not committed; then from its
 * branch, or from the commit that it was at when git still has it. TASK_DIFF_GONE.
 */
export async function diffTask({ app }: ServerContext, task: TaskRecord, write: WriteOutput): Promise<void> {
  const { workspaceId } = task;
  const record = workspaceId === null ? undefined : await app.store.workspaces.find(workspaceId);
  if (record) {
    await diffWorkspace(app, { repository: app.cwd, name: record.id, format: 'patch' }, write);
    return;
  }
  const { gitDir, base, commit } = await requireCommits(app, task);
  const range = ['--end-of-options', base, commit];
  await app.git.run(['diff-tree', '-r', ...diffArguments('patch'), ...range], {
    gitDir,
    ...writeOutputTo(write),
  });
}

async function requireCommits(app: ServerContext['app'], { id, base, branch, head, repository }: TaskRecord) {
  if (base === null || branch === null) throw gone(id, 'it has no workspace and no branch yet');
  const { commonDir: gitDir } = await locateRepository(app, repository);
  if (gitDir === null) throw gone(id, 'its repository has no git');
  const commit =
    (await readRef(app.git, { gitDir }, `refs/heads/${branch}`)) ??
    (head === null ? undefined : await resolveCommit(app.git, { gitDir }, head));
  if (commit === undefined) throw gone(id, `its workspace and its branch ${branch} are gone`);
  return { gitDir, base, commit };
}

const gone = (id: string, problem: string): Error => carrelError('TASK_DIFF_GONE', { id, problem });
