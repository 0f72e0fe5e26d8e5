import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { IsolationMode } from '../../domain/isolation.js';
import { isCustomBackend } from '../../domain/workspace/backend-name.js';
import type { Workspace } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import type { CreationPlan } from '../creation/create-workspace.js';
import { createPlanned, planUp, readRequest, type UpRequest } from '../creation/plan-up.js';
import { type ResolvedIsolation, resolveIsolation, withIsolation } from '../settings/resolve-isolation.js';
import { createGroup, type PlannedPart } from './create-group.js';
import { aliasFor, type GroupRepository } from './find-repositories.js';
import { findSandboxObstacle } from './sandbox-obstacle.js';

/**
 * Creates a workspace in each of the repositories, with one name and one branch: all of them or none. Everything is checked in all
 * repositories before anything is written. The first one is created last, so that its setup commands find the others. In a sandbox,
 * the first one decides about it, and it holds all of them.
 */
export async function upGroup(
  context: Context,
  request: UpRequest,
  others: readonly GroupRepository[],
): Promise<Workspace> {
  const { isolation, settings, target } = request;
  const alias = aliasFor(target.repository);
  requirePossible(request, alias);
  return withIsolation(context, isolation, settings, target.asked, async resolved => {
    const first = await planPart(context, request, alias, resolved);
    const planned = [first];
    for (const other of others) planned.push(await planOther(context, request, first, other, resolved));
    await requireOneSandbox(context, planned);
    return createGroup(context, createId('ws', context.ids), planned, plan => createPlanned(context, plan));
  });
}

async function planOther(
  context: Context,
  { input }: UpRequest,
  first: PlannedPart,
  { alias, repository, ...own }: GroupRepository,
  resolved: ResolvedIsolation,
): Promise<PlannedPart> {
  const { name, branch, isolation, askedBy, strict, setup, trust, reserved, signal } = input;
  const request = await readRequest(context, {
    ...{ name, branch, isolation, askedBy, strict, setup, signal },
    newBranch: first.plan.branch ?? undefined,
    ...(reserved && { reserved: { taskId: reserved.taskId } }),
    ...own,
    repository: repository.root,
    trust: own.trust ?? trust === true,
  });
  requirePossible(request, alias);
  if (resolved.isolation.effective === 'full') return planPart(context, request, alias, resolved);
  const { isolation: requested, settings, target } = request;
  const found = await resolveIsolation(context, requested, settings, target.asked);
  if (found.isolation.effective === 'full')
    throw notPossible({ alias, repository }, `its isolation mode is full, and that of ${first.alias} is not`);
  return planPart(context, request, alias, found);
}

/** GROUP_NOT_POSSIBLE */
function requirePossible({ input: { form }, target: { repository } }: UpRequest, alias: string): void {
  if (form !== undefined && form.kind !== 'auto' && form.kind !== 'git')
    throw notPossible({ alias, repository }, 'it would be a plain directory');
}

/** GROUP_NOT_POSSIBLE */
async function planPart(
  context: Context,
  request: UpRequest,
  alias: string,
  resolved: ResolvedIsolation,
): Promise<PlannedPart> {
  const { repository } = request.target;
  const refuse = (problem: string) => notPossible({ alias, repository }, problem);
  if (resolved.isolation.effective === 'shared') throw refuse('its isolation mode would be shared');
  const plan: CreationPlan = await planUp(context, request, resolved);
  if (plan.branch === null) throw refuse('it would have no branch');
  if (isCustomBackend(plan.backendName)) throw refuse(`it has the backend ${plan.backendName}`);
  return { alias, plan };
}

/** GROUP_NOT_POSSIBLE */
async function requireOneSandbox(context: Context, planned: readonly PlannedPart[]): Promise<void> {
  for (const { alias, plan } of planned) {
    const problem = await findSandboxObstacle(context, plan, planned);
    if (problem !== undefined) throw notPossible({ alias, repository: plan.repository }, problem);
  }
}

/** GROUP_NOT_POSSIBLE */
export function requireUnsandboxed(part: Pick<GroupRepository, 'alias' | 'repository'>, mode: IsolationMode) {
  if (mode === 'full') throw notPossible(part, 'a task with several repositories cannot have isolation full');
}

export const notPossible = (
  { alias, repository }: Pick<GroupRepository, 'alias' | 'repository'>,
  problem: string,
): Error => carrelError('GROUP_NOT_POSSIBLE', { alias, path: repository.root, problem });
