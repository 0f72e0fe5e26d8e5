import type { PlannedRepository } from '../../domain/task/task.js';
import { findStrongerIsolation } from '../../domain/workflow/stage-isolation.js';
import type { Context } from '../../operations/context.js';
import type { UpInput } from '../../operations/creation/plan-up.js';
import {
  aliasFor,
  approveRepositories,
  type GroupRepository,
} from '../../operations/group/find-repositories.js';
import { notPossible, requireUnsandboxed } from '../../operations/group/up-group.js';
import { listWorkflowRepositories } from '../../operations/settings/template-repositories.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import type { TaskDefinition } from '../../operations/task/define-task.js';
import { digestSetup, findBaseCommit, requireTrust } from '../../operations/trust/trust.js';
import type { Repository } from '../../workspace/backend.js';
import { requireStartable } from './require-startable.js';

interface RepositoriesRequest extends Pick<UpInput, 'check'> {
  /** The caller approves everything for this task. */
  readonly trust?: boolean | undefined;
  readonly branch?: string | undefined;
}

/**
 * The other repositories of a task, by the rules of `up`: everything that would make it fail before its first stage is refused before
 * the task exists. REPOSITORIES_NOT_TRUSTED, SETUP_NOT_TRUSTED, GROUP_NOT_POSSIBLE, and what locating a repository throws.
 */
export async function planRepositories(
  context: Context,
  first: Repository,
  defined: TaskDefinition,
  { trust = false, branch, check }: RepositoriesRequest,
): Promise<PlannedRepository[]> {
  const listed = listWorkflowRepositories(first.root, defined.workflow);
  if (listed.length === 0) return [];
  requirePossible(first, defined);
  const others = await approveRepositories(context, first, listed, { needsApproval: !trust, check });
  const planned: PlannedRepository[] = [];
  for (const { alias, repository, base } of others) {
    await requireStartable(context, repository, defined, { base, branch });
    const approved = await approveSetup(context, { repository, base }, trust);
    planned.push({ alias, path: repository.root, base: base ?? null, trust: approved });
  }
  return planned;
}

/** GROUP_NOT_POSSIBLE */
function requirePossible(repository: Repository, { isolation, workflow }: TaskDefinition): void {
  const part = { alias: aliasFor(repository), repository };
  const { mode, strategy } = isolation;
  requireUnsandboxed(part, mode);
  if (mode === 'shared') throw notPossible(part, 'its isolation mode would be shared');
  if (strategy === 'directory') throw notPossible(part, 'it would be a plain directory');
  for (const stage of workflow.definition.stages)
    requireUnsandboxed(part, findStrongerIsolation(stage, mode) ?? mode);
}

/** SETUP_NOT_TRUSTED unless approved before; the digest when the caller approves it for this task. */
async function approveSetup(
  context: Context,
  { repository, base: ref }: Pick<GroupRepository, 'repository' | 'base'>,
  trust: boolean,
): Promise<string | null> {
  const settings = await applyTemplate(context, repository, undefined);
  const place = { ref, commit: await findBaseCommit(context, repository, ref), isSandboxed: false };
  if (trust) return digestSetup(context, repository, settings, place);
  await requireTrust(context, repository, settings, place);
  return null;
}
