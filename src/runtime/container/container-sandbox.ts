import type { CommandResult } from '../../domain/command/command.js';
import { carrelError } from '../../domain/error/error.js';
import type { RunProcess } from '../../exec/run-process.js';
import type { Policy } from '../policy.js';
import type { Sandbox, SandboxCommand } from '../runtime.js';
import { execCommand } from './command/execute-command.js';
import type { Engine } from './engine/engine.js';
import { engineFailed } from './engine/inspect-container.js';
import type { ContainerRecords, RunningContainer } from './lifecycle/container-record.js';
import { haltContainer, releaseContainer } from './lifecycle/halt-container.js';
import type { Halts } from './lifecycle/halt-files.js';
import { openContainer, type WantedContainer } from './lifecycle/open-container.js';

export interface SandboxParts {
  readonly engine: Engine;
  readonly run: RunProcess;
  readonly records: ContainerRecords;
  readonly halts: Halts;
  readonly unique: () => string;
}

/** The container is started by the first command: pausing alone does not start it. */
export function createContainerSandbox(
  parts: SandboxParts,
  wanted: WantedContainer,
  policy: Policy,
): Sandbox {
  const { engine, records, halts } = parts;
  const { workspaceId } = wanted;
  const known = async (): Promise<RunningContainer | undefined> =>
    (await records.find(workspaceId))?.container;
  const resume = async (): Promise<void> => {
    const container = await known();
    if (container) await releaseContainer(engine, workspaceId, container);
    await halts.remove(workspaceId);
  };
  return {
    run: command => execInside({ ...parts, policy }, wanted, command, resume),
    pause: async () => {
      // Announced first: other processes that open the container wait from now on.
      await halts.put(workspaceId);
      const container = await known();
      if (!container) return;
      await haltContainer(engine, workspaceId, container).catch(async error => {
        await halts.remove(workspaceId);
        throw error;
      });
    },
    resume,
  };
}

async function execInside(
  parts: SandboxParts & { readonly policy: Policy },
  wanted: WantedContainer,
  command: SandboxCommand,
  resume: () => Promise<void>,
): Promise<CommandResult> {
  const { engine, records, halts } = parts;
  if (command.signal?.aborted) return parts.run({ ...engine.request([]), signal: command.signal });
  const halt = await halts.wait(wanted.workspaceId, command.signal);
  if (halt === 'abandoned') await resume();
  if (halt === 'halted') throw engineFailed(engine, 'another Carrel process keeps the container paused');
  return execCommand(parts, await openContainer(engine, records, wanted), command);
}

/** Ids become names of files and containers, so they must be plain. */
export function requirePlainId(workspaceId: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(workspaceId)) return workspaceId;
  throw carrelError('INTERNAL', { problem: `${JSON.stringify(workspaceId)} is not a workspace id` });
}
