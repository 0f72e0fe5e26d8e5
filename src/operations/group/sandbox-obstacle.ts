import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.js';
import type { CreationPlan } from '../creation/create-workspace.js';
import type { PlannedPart } from './create-group.js';

/** Why a part can't be in one sandbox with the others; undefined when it can, and without a sandbox. */
export async function findSandboxObstacle(
  context: Pick<Context, 'sandboxes'>,
  { isolation, runtime, repository, settings }: CreationPlan,
  all: readonly PlannedPart[],
): Promise<string | undefined> {
  if (isolation.effective !== 'full') return undefined;
  const { runtimes } = await context.sandboxes();
  if (!runtimes[runtime].capabilities.mounts) return `with ${runtime}, a sandbox holds only one repository`;
  if (existsSync(join(repository.root, '.jj')))
    return 'in a sandbox with other repositories, jj does not work';
  if (settings.sandbox.hooks !== undefined)
    return `sandbox.hooks is ${settings.sandbox.hooks}, which works with one repository only`;
  if (settings.sandbox.nested) return 'sandbox.nested is allow, which works with one repository only';
  // What is writable of one repository would be covered by what is readable of the other.
  const isNested = ({ plan }: PlannedPart) =>
    plan.repository.root !== repository.root && repository.root.startsWith(`${plan.repository.root}/`);
  const outer = settings.sandbox.git === 'surgical' ? all.find(isNested) : undefined;
  return outer && `sandbox.git is surgical, and it is inside the repository ${outer.alias}`;
}
