import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { IsolationMode } from '../../domain/isolation.js';
import { isCustomBackend } from '../../domain/workspace/backend-name.js';
import type { Workspace } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import type { CreationPlan } from '../creation/create-workspace.js';
import { createPlanned, planUp, readRequest, type UpRequest } from '../creation/plan-up.js';
import { resolveIsolation } from '../settings/resolve-isolation.js';
import { createGroup, type PlannedPart } from './create-group.js';
import { aliasFor, type GroupRepository } from './find-repositories.js';

/**
 * Creates a workspace in each of the repositories, with one name and one branch: all of them or none. Everything is checked in all
 * repositories before anything is written. The first one is created last, so that its setup commands find the others.
 */
export async function upGroup(
  context: Context,
  request: UpRequest,
  others: readonly GroupRepository[],
): Promise<Workspace> {
  const first = await planPart(context, request, aliasFor(request.target.repository));
  const planned = [first];
  const { name, branch, isolation, askedBy, strict, setup, trust, reserved, signal } = request.input;
  const shared = {
    ...{ name, branch, isolation, askedBy, strict, setup, signal },
    newBranch: first.plan.branch ?? undefined,
    ...(reserved && { reserved: { taskId: reserved.taskId } }),
  };
  for (const { alias, repository, ...own } of others) {
    const approved = own.trust ?? trust === true;
    const input = { ...shared, ...own, repository: repository.root, trust: approved };
    planned.push(await planPart(context, await readRequest(context, input), alias));
  }
  return createGroup(context, createId('ws', context.ids), planned, plan => createPlanned(context, plan));
}

/** GROUP_NOT_POSSIBLE */
async function planPart(context: Context, request: UpRequest, alias: string): Promise<PlannedPart> {
  const { settings, target, isolation, input } = request;
  const refuse = (problem: string) => notPossible({ alias, repository: target.repository }, problem);
  if (input.form !== undefined && input.form.kind !== 'auto' && input.form.kind !== 'git')
    throw refuse('it would be a plain directory');
  requireUnsandboxed(
    { alias, repository: target.repository },
    isolation.isolation ?? settings.isolation.mode,
  );
  const resolved = await resolveIsolation(context, isolation, settings, target.asked);
  if (resolved.isolation.effective !== 'worktree')
    throw refuse(`its isolation mode would be ${resolved.isolation.effective}`);
  const plan: CreationPlan = await planUp(context, request, resolved);
  if (plan.branch === null) throw refuse('it would have no branch');
  if (isCustomBackend(plan.backendName)) throw refuse(`it has the backend ${plan.backendName}`);
  return { alias, plan };
}

/** GROUP_NOT_POSSIBLE */
export function requireUnsandboxed(part: Pick<GroupRepository, 'alias' | 'repository'>, mode: IsolationMode) {
  if (mode === 'full') throw notPossible(part, 'with isolation full, a sandbox holds only one repository');
}

export const notPossible = (
  { alias, repository }: Pick<GroupRepository, 'alias' | 'repository'>,
  problem: string,
): Error => carrelError('GROUP_NOT_POSSIBLE', { alias, path: repository.root, problem });
