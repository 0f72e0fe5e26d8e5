import { join } from 'node:path';
import type { Handoff } from '../../attempt/handoff/handoff.js';
import { createHostHandoff } from '../../attempt/handoff/host-handoff.js';
import { createSandboxHandoff } from '../../attempt/handoff/sandbox-handoff.js';
import type { WorkspaceEnvironment } from '../../domain/command/environment.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import type { Context } from '../../operations/context.js';
import { INSIDE } from '../../runtime/policy.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { makeEvalPlaces } from '../base/eval-places.js';

/** The handoff directory of an attempt. In a sandbox it is in the private home and is removed with it. */
export async function withAgentHandoff<T>(
  context: Pick<Context, 'places'>,
  environment: WorkspaceEnvironment,
  work: (handoff: Handoff) => Promise<T>,
): Promise<T> {
  if (environment.isSandboxed) {
    const directory = join(INSIDE.home, '.carrel-agent');
    return work(createSandboxHandoff(environment, { directory, root: directory }));
  }
  const { root } = await makeEvalPlaces(context);
  return withScratchDirectory(root, directory =>
    // The agent may have removed its own write permission; that must not stop the batch.
    work(createHostHandoff(directory)).finally(() => removeTree(directory)),
  );
}
