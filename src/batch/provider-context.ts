import type { LoadedConfig } from '../config/load.js';
import type { Context } from '../operations/context.js';
import type { SandboxedRuntime } from '../sandbox/choose-runtime.js';

export interface BatchSettings {
  /** Instead of what the configuration says. */
  readonly runtime?: SandboxedRuntime | undefined;
  readonly image?: string | undefined;
}

/** How many slots a pool may have: how many attempts run at once is for the dispatch to say. */
const MOST_SLOTS = 512;

/**
 * The context in which a batch makes workspaces. The user's configuration is for work on the user's repositories: nothing
 * of it that would bring files, variables, caches or network into a task counts here, where the answer may be among
 * them. What the agent has to reach is said by the agent, for each workspace. What is left behind is settled by this process
 * itself, so that nothing runs on when the batch is over.
 */
export function batchContext(context: Context, settings: BatchSettings = {}): Context {
  return {
    ...context,
    startBackground: () => undefined,
    loadConfig: async root => adapt(await context.loadConfig(root), settings),
  };
}

/** What is said of one workspace is true of all that a batch makes. */
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
