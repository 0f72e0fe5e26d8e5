import { carrelError } from '../../domain/error.js';
import type { RunRequest, RunResult } from '../../exec/run.js';
import type { Policy } from '../policy.js';
import type { Sandbox, SandboxCommand, SandboxResult } from '../runtime.js';
import type { ContainerRecords, RunningContainer } from './container-record.js';
import type { Engine } from './engine.js';
import { execCommand } from './exec-command.js';
import { haltContainer, releaseContainer } from './halt-container.js';
import type { Halts } from './halted.js';
import { engineFailed } from './inspect.js';
import { openContainer, type WantedContainer } from './open-container.js';

export interface SandboxParts {
  readonly engine: Engine;
  readonly run: (request: RunRequest) => Promise<RunResult>;
  readonly records: ContainerRecords;
  readonly halts: Halts;
  readonly unique: () => string;
}

/** The container is started with the first command: whoever only halts what runs need not start anything for it. */
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
    exec: command => execInside({ ...parts, policy }, wanted, command, resume),
    pause: async () => {
      // Said first: who opens the container from now on waits.
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
): Promise<SandboxResult> {
  const { engine, records, halts } = parts;
  if (command.signal?.aborted) return parts.run({ ...engine.request([]), signal: command.signal });
  const halt = await halts.wait(wanted.workspaceId, command.signal);
  if (halt === 'abandoned') await resume();
  if (halt === 'halted') throw engineFailed(engine, 'another process of Carrel keeps the container halted');
  return execCommand(parts, await openContainer(engine, records, wanted), command);
}

/** Ids become names of files and containers. */
export function requirePlainId(workspaceId: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(workspaceId)) return workspaceId;
  throw carrelError('INTERNAL', { problem: `${JSON.stringify(workspaceId)} is no id of a workspace` });
}
