import type { LoadedConfig } from '../../config/load-config.js';
import type { SandboxedRuntime } from '../../domain/isolation/decide-isolation.js';
import type { Context } from '../../operations/context.js';

export interface BatchSettings {
  /** Overrides of the configuration. */
  readonly runtime?: SandboxedRuntime | undefined;
  readonly image?: string | undefined;
}

/** Maximum slots of a pool; the dispatcher limits how many attempts run at once. */
const MOST_SLOTS = 512;

/**
 * The context in which a batch creates workspaces. The user's configuration is for work on the user's repositories:
 * settings that would add files, variables, caches or network access to a task are ignored here, because the answer may be among
 * them. The agent declares what it must reach, for each workspace. This process removes leftovers
 * itself, so that nothing keeps running when the batch is over.
 */
export function batchContext(context: Context, settings: BatchSettings = {}): Context {
  return {
    ...context,
    startBackground: () => undefined,
    loadConfig: async root => adapt(await context.loadConfig(root), settings),
  };
}

/** Warnings about one workspace apply to all workspaces of a batch. */
export function narrateOnce(context: Context): Context {
  const told = new Set<string>();
  return {
    ...context,
    narrate: line => {
      if (!told.has(line)) context.narrate(line);
      told.add(line);
    },
  };
}

function adapt(loaded: LoadedConfig, { runtime, image }: BatchSettings): LoadedConfig {
  const { config } = loaded;
  const { resourceLimits, user } = config.workspace.container ?? {};
  return {
    ...loaded,
    config: {
      ...config,
      pool: { ...config.pool, size: MOST_SLOTS, spare: 'off', keep: [] },
      // The result of an attempt is its patch.
      snapshots: { ...config.snapshots, checkpoints: 'off' },
      workspace: {
        ...config.workspace,
        include: [],
        setup: [],
        install: 'off',
        files: 'auto',
        submodules: 'skip',
        limits: { freeDisk: config.workspace.limits.freeDisk },
        container: withoutUndefined({ resourceLimits, user, image }),
      },
      sandbox: {
        ...config.sandbox,
        git: 'private',
        network: 'allowlist',
        allow: [],
        nested: 'deny',
        passEnvironment: [],
        readable: [],
        privileged: false,
        engineSocket: false,
        ...(runtime && { runtime }),
      },
    },
  };
}

function withoutUndefined<T extends object>(values: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
