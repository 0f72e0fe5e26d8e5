import { createId } from '../../domain/id.js';
import type { Workspace } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import type { CreationPlan } from '../creation/create-workspace.js';
import { withRepositories } from './group-records.js';
import { runTogether } from './together.js';

export interface PlannedPart {
  readonly alias: string;
  readonly plan: CreationPlan;
}

/** Creates all parts or none; the first one last. Returns the first one. */
export async function createGroup(
  context: Context,
  groupId: string,
  planned: readonly PlannedPart[],
  create: (plan: CreationPlan) => Promise<Workspace>,
): Promise<Workspace> {
  const [first, ...others] = planned;
  const ordered = first ? [...others, first] : others;
  const made = await runTogether(
    context,
    ordered.map(({ alias, plan }) => becomeReady => {
      const id = plan === first?.plan ? groupId : createId('ws', context.ids);
      return create({ ...plan, part: { id, group: { id: groupId, alias }, becomeReady } });
    }),
  );
  const [workspace] = withRepositories(made.slice(-1), await context.store.workspaces.list());
  return workspace as Workspace;
}
