import { carrelError } from '../domain/error.js';
import { type Enclosure, findEnclosure } from '../exec/pid-namespace.js';
import type { Context } from '../operations/context.js';
import { endProcesses } from '../pool/end-processes.js';
import { runHostCommand } from './host-command.js';
import type { TaskDescriptor, TaskEnvironment } from './isolation-provider.js';
import { putFile, takeFile } from './provider-files.js';
import { collectPatch } from './provider-patch.js';
import type { SealedBase } from './sealed-base.js';

/** A place on the machine itself that an attempt works in, with nothing around its commands. */
export interface HostPlace {
  /** All commands carry it as CARREL_COMMAND_ID, and what they leave running is found by it. */
  readonly id: string;
  readonly task: TaskDescriptor;
  readonly base: SealedBase;
  /** Whoever works below it is ended with the others. */
  readonly directory: string;
  readonly workTree: string;
  /** For the patch: see provider-patch.ts. */
  readonly indexFile: string;
  readonly gitDir: string;
}

/**
 * Makes the environments of a provider. Where a pid namespace can be had, each of their commands runs in one of its own,
 * and nothing that it started outlives it. Elsewhere what is left is looked for, and may hide; `runtime` tells.
 */
export function createHostEnvironments(context: Context): (place: HostPlace) => Promise<TaskEnvironment> {
  let finding: Promise<Enclosure | undefined> | undefined;
  return async place => {
    finding ??= findEnclosure(context.environment.PATH ?? '', context.places.temporaryRoot);
    const enclosure = await finding.catch(() => {
      // Nothing could be started at this moment; the next one tries again.
      finding = undefined;
      return undefined;
    });
    return createEnvironment(context, place, enclosure);
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
