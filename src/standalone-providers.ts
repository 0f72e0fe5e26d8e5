import { openApp, ownEnvironment } from './app.js';
import { chooseAttemptIsolation, chooseKind } from './batch/create-provider.js';
import type { IsolationProvider } from './batch/isolation-provider.js';
import type { BatchOptions } from './batch/open-batches.js';
import { describe } from './batch/provider/check-provider-call.js';
import {
  type ContextSource,
  type LifecycleOptions,
  ProviderLifecycle,
} from './batch/provider/provider-lifecycle.js';
import { ATTEMPT_ISOLATIONS, type AttemptIsolation } from './domain/batch/attempt.js';
import { carrelError } from './domain/error/error.js';
import { nearest } from './domain/text/nearest-word.js';
import type { Context } from './operations/context.js';
import { requireKnown } from './strict-library.js';

/** How many tasks of a batch run at once, where, and how much they may cost: what the flags of `carrel eval run` say. */
export type BatchConfig = Pick<BatchOptions, 'parallelism' | 'isolation' | 'costLimitUsd'>;

/** Options of an isolation provider. All of them are optional. */
export interface ProviderOptions extends Pick<BatchConfig, 'parallelism'> {
  /** Another word for `parallelism`, as in `PoolManager`. */
  readonly maxSlots?: number | undefined;
  /** Hosts that can be reached from a sandbox (`full`, `docker`); none by default. */
  readonly hosts?: readonly string[] | undefined;
  /** The process's own by default. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Receives progress and warnings for the user. */
  readonly narrate?: ((line: string) => void) | undefined;
  /** What `openApp` gave, to share it; the caller closes it. By default the provider opens and closes its own. */
  readonly context?: Context | undefined;
}

/** Options of `createIsolationProvider`. */
export interface IsolationProviderOptions extends ProviderOptions, Pick<BatchConfig, 'isolation'> {}

/**
 * Creates a provider of isolated environments, for your own harness. Without `isolation` it is `worktree` when
 * `parallelism` is above 1, and `none` otherwise. Nothing is opened before `init`.
 *
 * @example
 * ```ts
 * import { createIsolationProvider } from 'carrel';
 *
 * const provider = createIsolationProvider({ isolation: 'worktree', parallelism: 3 });
 * const task = { id: 'fix-typo', repository: '.', commit: 'main', setup: ['npm ci'] };
 * try {
 *   await provider.init([task]);
 *   const environment = await provider.acquire(task, { timeoutMs: 60_000 });
 *   await environment.run({ command: ['npm', 'test'] });
 *   const { patch } = await environment.collectPatch();
 *   await provider.release(environment);
 * } finally {
 *   await provider.destroyAll();
 * }
 * ```
 *
 * The mode can come first: `createIsolationProvider('worktree', { maxSlots: 3 })`.
 */
export function createIsolationProvider(options?: IsolationProviderOptions): IsolationProvider;
export function createIsolationProvider(
  isolation: AttemptIsolation,
  options?: ProviderOptions,
): IsolationProvider;
export function createIsolationProvider(
  first: AttemptIsolation | IsolationProviderOptions = {},
  second: ProviderOptions = {},
): IsolationProvider {
  const { isolation: asked, ...options } =
    typeof first === 'string' ? { ...requireObject(second), isolation: first } : requireObject(first);
  const isolation = chooseAttemptIsolation(requireIsolation(asked), readParallelism(options));
  switch (isolation) {
    case 'worktree':
      return new WorktreeProvider(options);
    case 'docker':
      return new DockerProvider(options);
    case 'none':
      return new NoneProvider(options);
    case 'full':
      return new SandboxProvider(options);
  }
}

/**
 * Environments in git worktrees, made in advance and used again after they are proven clean. The fastest; the agent runs
 * as you and is trusted not to look around.
 *
 * @example
 * ```ts
 * import { WorktreeProvider } from 'carrel';
 *
 * const provider = new WorktreeProvider({ maxSlots: 3 });
 * ```
 */
export class WorktreeProvider extends ProviderLifecycle {
  constructor(options: ProviderOptions = {}) {
    super(describeProvider('worktree', options));
  }
}

/** Environments in containers of podman or docker, each with its own home and with the image of its task. */
export class DockerProvider extends ProviderLifecycle {
  constructor(options: ProviderOptions = {}) {
    super(describeProvider('docker', options));
  }
}

/** Environments in sandboxes of the machine: bubblewrap, or the container engine that the configuration names. */
export class SandboxProvider extends ProviderLifecycle {
  constructor(options: ProviderOptions = {}) {
    super(describeProvider('full', options));
  }
}

/** Plain copies of the files, made for each task and deleted afterwards. */
export class NoneProvider extends ProviderLifecycle {
  constructor(options: ProviderOptions = {}) {
    super(describeProvider('none', options));
  }
}

function describeProvider(isolation: AttemptIsolation, options: ProviderOptions): LifecycleOptions {
  const { hosts } = requireKnown('createIsolationProvider', requireObject(options), OPTION_FIELDS);
  const parallelism = readParallelism(options);
  return { source: sourceOf(options), kind: chooseKind({ isolation, parallelism, hosts }), parallelism };
}

const OPTION_FIELDS = {
  parallelism: true,
  maxSlots: true,
  hosts: true,
  environment: true,
  narrate: true,
  context: true,
} as const;

function sourceOf({ context, environment = ownEnvironment(), narrate }: ProviderOptions): ContextSource {
  if (context) return { open: async () => context, close: async () => undefined };
  let opening: ReturnType<typeof openApp> | undefined;
  const open = () => {
    opening ??= openApp({ environment, cwd: process.cwd(), narrate });
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  return { open, close: async () => (await opening)?.close() };
}

function requireObject<T extends object>(options: T): T {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options;
  const expected = `one of ${ATTEMPT_ISOLATIONS.join(', ')}, or an object with isolation and parallelism`;
  const what = 'the argument of createIsolationProvider()';
  throw carrelError('INVALID_INPUT', { what, found: describe(options), expected });
}

function requireIsolation(isolation: unknown): AttemptIsolation | undefined {
  if (isolation === undefined || ATTEMPT_ISOLATIONS.includes(isolation as AttemptIsolation))
    return isolation as AttemptIsolation | undefined;
  const meant = typeof isolation === 'string' ? nearest(isolation, ATTEMPT_ISOLATIONS) : undefined;
  const known = `one of ${ATTEMPT_ISOLATIONS.join(', ')}`;
  const expected = meant === undefined ? known : `${known}; did you mean ${JSON.stringify(meant)}?`;
  const what = 'isolation of createIsolationProvider()';
  throw carrelError('INVALID_INPUT', { what, found: describe(isolation), expected });
}

/** One environment at a time by default. */
function readParallelism({ parallelism, maxSlots }: ProviderOptions): number {
  if (parallelism !== undefined && maxSlots !== undefined && parallelism !== maxSlots)
    throw carrelError('CONFLICTING_OPTIONS', { options: ['parallelism', 'maxSlots'] });
  const count = parallelism ?? maxSlots ?? 1;
  if (Number.isInteger(count) && count > 0) return count;
  const what = parallelism === undefined ? 'maxSlots' : 'parallelism';
  throw carrelError('INVALID_INPUT', { what, found: describe(count), expected: 'a whole number above 0' });
}
