import { join } from 'node:path';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { RunRequest, RunResult } from '../../exec/run.js';
import type { Policy } from '../policy.js';
import type { Runtime } from '../runtime.js';
import { openContainerRecords } from './container-record.js';
import { createContainerSandbox, requirePlainId } from './container-sandbox.js';
import { createEngine, type EngineName } from './engine.js';
import { openHalts } from './halted.js';
import { createImageBuilder } from './image-builder.js';
import { probeEngine } from './probe.js';
import { stopContainer } from './stop-container.js';
import { describeWanted } from './wanted-container.js';

export interface ContainerRuntimeOptions {
  readonly engine: EngineName;
  readonly run: (request: RunRequest) => Promise<RunResult>;
  /** The caller's; the engine needs parts of it, and nothing inside sees any. */
  readonly environment: Readonly<Record<string, string>>;
  /** For records and the seccomp profile; of Carrel's own. */
  readonly directory: string;
  /** Tells containers of this state directory from those of another. */
  readonly owner: string;
  readonly self: ProcessIdentity;
  /** As Node names it. */
  readonly architecture: string;
  /** Who runs Carrel. */
  readonly user: Policy['user'];
  /** The node that goes into an image made of this machine. */
  readonly node: string;
  readonly unique: () => string;
  /** Told what is begun that takes long. */
  readonly announce?: ((line: string) => void) | undefined;
}

/** podman or docker: one container for each workspace, which commands are executed in. */
export function createContainerRuntime(options: ContainerRuntimeOptions): Runtime {
  const { unique, run, self } = options;
  const engine = createEngine({ ...options, name: options.engine });
  const directory = join(options.directory, options.engine);
  const records = openContainerRecords(directory, unique);
  const halts = openHalts({ directory, self, unique });
  const nameOf = (id: string) => `carrel-${requirePlainId(id)}-${options.owner.slice(0, 8)}`;
  const parts = { engine, run, records, halts, unique };
  return {
    name: options.engine,
    capabilities: { isolates: true, images: true, overlays: options.engine === 'podman', longLived: true },
    images: createImageBuilder(engine, options),
    probe: () => probeEngine(engine, options),
    open: async (id, policy) => {
      const wanted = await describeWanted(engine, options, { id, name: nameOf(id) }, policy);
      const known = await records.find(id);
      if (known?.container?.policyHash !== wanted.policyHash) await wanted.requireLimits();
      return createContainerSandbox(parts, wanted, policy);
    },
    stop: async id => {
      await stopContainer(engine, records, { workspaceId: id, name: nameOf(id) });
      await halts.remove(id);
    },
    list: records.list,
  };
}
