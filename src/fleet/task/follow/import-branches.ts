import type { TaskResult } from '../../../domain/fleet/task-result.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';
import { locateRepository } from '../../../operations/repository/locate-repository.js';
import { type BundleRequest, importBundle } from '../../../sandbox/exchange/import-bundle.js';

/** Where the work of a task is in the repository of the submitter. */
export interface ImportedBranches {
  /** Null when there is no work, or when it was refused. */
  readonly branch: string | null;
  /** Its commit. */
  readonly head: string | null;
  readonly warnings: readonly string[];
  /** Why its own branch was not imported; each a sentence. */
  readonly problems: readonly string[];
}

/**
 * Imports the branches of a result, through the gate for commits of a sandbox. The worker does not choose their names:
 * its own has the planned one, those of parallel stages begin with it. One that is taken gets a number.
 */
export async function importBranches(
  context: Context,
  task: TaskRecord,
  { branches }: Pick<TaskResult, 'branches'>,
  { bundle, signal }: { readonly bundle: string; readonly signal?: AbortSignal | undefined },
): Promise<ImportedBranches> {
  const planned = plannedBranch(task);
  const { commonDir } = await locateRepository(context, task.repository);
  const request = { git: context.git, commonDir: commonDir ?? '', bundle, id: task.id, signal };
  const warnings: string[] = [];
  let own: Pick<ImportedBranches, 'branch' | 'head'> = { branch: null, head: null };
  const problems: string[] = [];
  for (const { branch, commit } of branches) {
    if (branch !== planned && !branch.startsWith(`${planned}-`)) {
      warnings.push(`the branch ${branch} was not imported: expected ${planned}`);
      continue;
    }
    const base = task.plan.fleet?.start ?? task.base ?? commit;
    const imported = await importAs({ ...request, branch, commit, base });
    if (imported.problems.length > 0) warnings.push(`${branch}: ${imported.problems.join('; ')}`);
    if (branch === planned) problems.push(...imported.problems);
    if (branch === planned) own = { branch: imported.branch, head: imported.branch && commit };
    else if (imported.branch !== null)
      warnings.push(`the work of a stage that was not joined is on the branch ${imported.branch}`);
  }
  return { ...own, warnings, problems };
}

/** The name that the branch of a task has on a worker, and here unless it is taken. */
export const plannedBranch = ({ branch, plan, id }: TaskRecord): string => branch ?? plan.branch ?? id;

const MOST_NAMES = 20;

interface ImportedAs {
  readonly branch: string | null;
  readonly problems: readonly string[];
}

async function importAs(request: BundleRequest): Promise<ImportedAs> {
  for (let number = 1; number <= MOST_NAMES; number++) {
    const target = number === 1 ? request.branch : `${request.branch}-r${number}`;
    const imported = await importBundle({ ...request, target });
    if (imported.outcome === 'refused') return { branch: null, problems: imported.problems };
    if (imported.outcome !== 'taken') return { branch: target, problems: [] };
  }
  return { branch: null, problems: [`${MOST_NAMES} branches of this name exist`] };
}
