import { isCarrelError } from '../../../domain/error/error.js';
import type { LandResult } from '../../../domain/report/result.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import { resolveCommit } from '../../../git/refs/refs.js';
import type { Context } from '../../../operations/context.js';
import type { LandInput } from '../../../operations/workspace/land.js';
import { findPartBases, listTaskWork } from '../task-branch.js';

/**
 * After a landing that found nothing to land: where the work of the task is, when it is on the branch in every repository
 * that the task has changed and this is not recorded yet. A process that was killed right after its landing leaves this behind.
 */
export async function findLanded(
  context: Context,
  task: TaskRecord,
  input: Pick<LandInput, 'into'>,
  error: unknown,
): Promise<Pick<LandResult, 'into' | 'before' | 'after'> | undefined> {
  if (!isCarrelError(error, 'LAND_NOTHING') || task.landed !== null) return undefined;
  const into = input.into ?? String(error.details.into);
  const { intoParts = {} } = input.into === undefined ? await findPartBases(context, task) : {};
  const works = (await listTaskWork(context, task)).filter(({ commit, base }) => commit !== base);
  for (const { alias, commit, gitDir } of works) {
    const target = await resolveCommit(
      context.git,
      { gitDir },
      `refs/heads/${intoParts[alias ?? ''] ?? into}`,
    );
    const question = ['merge-base', '--is-ancestor', commit, String(target)];
    if (target === undefined || !(await context.git.succeeds(question, { gitDir }))) return undefined;
  }
  const [first] = works;
  if (!first) return undefined;
  const { alias, commit } = first;
  return { into: intoParts[alias ?? ''] ?? into, before: commit, after: commit };
}
