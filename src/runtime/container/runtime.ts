import { join } from 'node:path';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { RunProcess } from '../../exec/run-process.js';
import type { Policy } from '../policy.js';
import type { Runtime } from '../runtime.js';
import { createContainerSandbox, requirePlainId } from './container-sandbox.js';
import { createEngine, type EngineName } from './engine/engine.js';
import { createImageBuilder } from './image/container-image-builder.js';
import { openContainerRecords } from './lifecycle/container-record.js';
import { openHalts } from './lifecycle/halt-files.js';
import { stopContainer } from './lifecycle/stop-container.js';
import { probeEngine } from './probe.js';
import { describeWanted } from './wanted-container.js';

export interface ContainerRuntimeOptions {
  readonly engine: EngineName;
  readonly run: RunProcess;
  /** The caller's environment; the engine needs parts of it, and nothing of it is visible inside. */
  readonly environment: Readonly<Record<string, string>>;
  /** For records and the seccomp profile; used only by Carrel. */
  readonly directory: string;
  /** Distinguishes the containers of this state directory from those of others. */
  readonly owner: string;
  readonly self: ProcessIdentity;
  /** As Node names it. */
  readonly architecture: string;
  /** The user that runs Carrel. */
  readonly user: Policy['user'];
  /** The node to copy into this machine's image. */
  readonly node: string;
  readonly unique: () => string;
  /** Called with a message before something that takes long. */
  readonly announce?: ((line: string) => void) | undefined;
}

/** podman or docker: one container per workspace, in which its commands run. */
export function createContainerRuntime(options: ContainerRuntimeOptions): Runtime {
  const { unique, run, self } = options;
  const engine = createEngine({ ...options, name: options.engine });
  const directory = join(options.directory, options.engine);
  const records = openContainerRecords(directory);
  const halts = openHalts({ directory, self });
  const nameOf = (id: string) => `carrel-${requirePlainId(id)}-${options.owner.slice(0, 8)}`;
  const parts = { engine, run, records, halts, unique };
  return {
    name: options.engine,
    capabilities: {
      isolates: true,
      images: true,
      overlays: options.engine === 'podman',
      longLived: true,
      mounts: true,
      namespaces: true,
    },
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
