import { carrelError } from '../../domain/error/error.js';
import { sanitizeForFolder } from '../../domain/name.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import type { PartInput, UpInput, UpRequest } from '../creation/plan-up.js';
import { locateRepository } from '../repository/locate-repository.js';
import { describeNamed, listNamed, type NamedRepository } from '../settings/template-repositories.js';
import { requireRepositoriesTrust } from '../trust/trust.js';

/** One of the other repositories of a new workspace. */
export interface GroupRepository extends Pick<PartInput, 'base' | 'ownWorkOf' | 'trust'> {
  readonly alias: string;
  readonly repository: Repository;
}

/**
 * The other repositories that the caller names, or else the template. REPOSITORIES_NOT_TRUSTED, GROUP_NOT_POSSIBLE, and what
 * locating a repository throws.
 */
export async function findGroupRepositories(
  context: Context,
  { input, target: { repository }, settings }: Pick<UpRequest, 'input' | 'target' | 'settings'>,
): Promise<GroupRepository[]> {
  if (input.parts) return locateAll(context, repository, input.parts, input);
  const named = input.repositories ?? settings.repositories?.named;
  if (named === undefined) return [];
  const isOfRepository = input.repositories === undefined && settings.repositories?.isOfRepository === true;
  return approveRepositories(context, repository, listNamed(repository.root, named), {
    needsApproval: isOfRepository && input.trust !== true,
    check: input.check,
  });
}

/** Locates them, when they are approved. REPOSITORIES_NOT_TRUSTED, GROUP_NOT_POSSIBLE */
export async function approveRepositories(
  context: Context,
  first: Repository,
  listed: readonly NamedRepository[],
  { needsApproval, check }: { readonly needsApproval: boolean } & Pick<UpInput, 'check'>,
): Promise<GroupRepository[]> {
  if (needsApproval)
    await requireRepositoriesTrust(context, first, await Promise.all(listed.map(describeNamed)));
  return locateAll(context, first, listed, { check });
}

async function locateAll(
  context: Context,
  first: Repository,
  listed: readonly (NamedRepository | PartInput)[],
  { check }: Pick<UpInput, 'check'>,
): Promise<GroupRepository[]> {
  const found: GroupRepository[] = [];
  for (const { alias, path, ...own } of listed) {
    const repository = await locateRepository(context, path);
    await check?.({ repository: repository.root });
    found.push({ ...own, alias: alias ?? aliasFor(repository), repository });
  }
  requireDistinct(first, found);
  return found;
}

/** The alias of the repository that the workspace is created in, and of one without an alias. */
export const aliasFor = ({ name }: Pick<Repository, 'name'>): string => sanitizeForFolder(name);

function requireDistinct(first: Repository, others: readonly GroupRepository[]): void {
  const all = [{ alias: aliasFor(first), repository: first }, ...others];
  for (const [index, { alias, repository }] of all.entries()) {
    const before = all.slice(0, index);
    const problem = before.some(other => other.repository.id === repository.id)
      ? 'the workspace already has this repository'
      : before.some(other => other.alias === alias)
        ? 'another repository has this alias'
        : undefined;
    if (problem) throw carrelError('GROUP_NOT_POSSIBLE', { alias, path: repository.root, problem });
  }
}
