import type { TaskDescriptor } from '../../domain/batch/task-descriptor.js';
import { carrelError } from '../../domain/error/error.js';
import { type Enclosure, findEnclosure } from '../../exec/enclosure/pid-namespace.js';
import type { Context } from '../../operations/context.js';
import { endProcesses } from '../../pool/lifecycle/stop-slot-processes.js';
import type { SealedBase } from '../base/sealed-base.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { makeAttemptHome } from './attempt-home.js';
import { collectPatch } from './collect-patch.js';
import { putFile, takeFile } from './environment-files.js';
import { runHostCommand } from './host-command.js';

/** A directory on the host that an attempt works in, without a sandbox around its commands. */
export interface HostPlace {
  /** All commands have it as CARREL_COMMAND_ID, and leftover processes are found by it. */
  readonly id: string;
  readonly task: TaskDescriptor;
  readonly base: SealedBase;
  /** Processes that run in it are killed with the others. */
  readonly directory: string;
  readonly workTree: string;
  /** The home directory of only this attempt; created with the environment. */
  readonly home: string;
  /** For the patch: see collect-patch.ts. */
  readonly indexFile: string;
  readonly gitDir: string;
}

/**
 * Creates the environments of a provider. Where pid namespaces are available, each command runs in its own,
 * and nothing that it started outlives it. Elsewhere leftover processes are searched for, and may hide; `runtime` shows which.
 */
export function createHostEnvironments(context: Context): (place: HostPlace) => Promise<TaskEnvironment> {
  let finding: Promise<Enclosure | undefined> | undefined;
  return async place => {
    finding ??= findEnclosure(context.environment.PATH ?? '', context.places.temporaryRoot);
    const enclosure = await finding.catch(() => {
      // No process could be started at this moment; the next command tries again.
      finding = undefined;
      return undefined;
    });
    const variables = await makeAttemptHome(context.environment, place.home);
    const own = { ...context, environment: { ...context.environment, ...variables } };
    return createEnvironment(own, place, enclosure);
  };
}

function createEnvironment(
  context: Context,
  place: HostPlace,
  enclosure: Enclosure | undefined,
): TaskEnvironment {
  const { id, task, base, directory, workTree } = place;
  return {
    id,
    taskId: task.id,
    workingDirectory: workTree,
    commit: base.commit,
    isSandboxed: false,
    runtime: enclosure ? 'host' : 'host, without pid namespaces',
    run: request => runHostCommand({ context, place, enclosure }, request),
    endAll: async () => {
      const reason = await endProcesses({ directory, lease: { id } });
      if (reason !== null) throw carrelError('PROCESSES_LEFT', { place: workTree, reason });
    },
    collectPatch: () => collectPatch(context, base, place),
    writeFile: async (path, content, options) => putFile(workTree, path, content, options?.executable),
    readFile: async (path, limitBytes) => takeFile(workTree, path, limitBytes),
  };
}
