import { generateName } from '../../domain/name.js';
import type { Workspace } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { createPlanned, planUp, readRequest, type UpInput } from '../creation/plan-up.js';
import { findGroupRepositories } from '../group/find-repositories.js';
import { upGroup } from '../group/up-group.js';
import { withIsolation } from '../settings/resolve-isolation.js';

/** Creates a workspace. Everything that can be checked is checked before anything is written. */
export async function up(context: Context, input: UpInput): Promise<Workspace> {
  const name = input.name ?? generateName(context.ids);
  const request = await readRequest(context, { ...input, name });
  const others = await findGroupRepositories(context, request);
  if (others.length > 0) return upGroup(context, request, others);
  const { isolation, settings, target } = request;
  return withIsolation(context, isolation, settings, target.asked, async resolved =>
    createPlanned(context, await planUp(context, request, resolved)),
  );
}
