import { isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { type SandboxPlace, sandboxPlace } from '../sandbox-place.js';
import type { SandboxesOptions } from '../sandboxes.js';
import { hasWaitingOwner } from './command-owners.js';

/** Runs an action while the sandbox is paused. */
export async function whileHalted<T>(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  action: () => Promise<T>,
): Promise<T> {
  const [main] = await options.membersOf(record);
  const sandbox = await findRunning(options, main, sandboxPlace(options.stateDir, main.id));
  await sandbox?.pause();
  try {
    return await action();
  } finally {
    await sandbox?.resume();
  }
}

/** Without a runtime and without a live command, nothing runs that could be paused. */
async function findRunning(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<Sandbox | undefined> {
  try {
    return await options.open(record, place);
  } catch (error) {
    if ((await hasWaitingOwner(place)) || !isCarrelError(error, 'RUNTIME_UNAVAILABLE', 'SANDBOX_DAMAGED'))
      throw error;
    return undefined;
  }
}
