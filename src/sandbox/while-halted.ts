import { isCarrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Sandbox } from '../runtime/runtime.js';
import { hasLivingOwner } from './command-owners.js';
import type { SandboxPlace } from './place.js';
import type { SandboxesOptions } from './sandboxes.js';

/** Runs an action while nothing in the sandbox runs. */
export async function whileHalted<T>(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  action: () => Promise<T>,
): Promise<T> {
  const sandbox = await findRunning(options, record, place);
  await sandbox?.pause();
  try {
    return await action();
  } finally {
    await sandbox?.resume();
  }
}

/** Without a runtime, and without a command that anybody waits for, nothing runs that could be halted. */
async function findRunning(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<Sandbox | undefined> {
  try {
    return await options.open(record, place);
  } catch (error) {
    if ((await hasLivingOwner(place)) || !isCarrelError(error, 'RUNTIME_UNAVAILABLE', 'SANDBOX_DAMAGED'))
      throw error;
    return undefined;
  }
}
