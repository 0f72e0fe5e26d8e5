import { setMaxListeners } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskDescriptor } from '../../domain/batch/task-descriptor.js';
import { carrelError } from '../../domain/error/error.js';
import { findFullPlace } from '../../git/disk/disk-full.js';
import type { Context } from '../../operations/context.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { type BaseShelf, createBaseShelf, type SealBase } from '../base/provider-bases.js';
import type {
  AcquireOptions,
  BrokenTask,
  InitOptions,
  IsolationProvider,
  KeepOptions,
  PoolStats,
  ResetOptions,
  TaskEnvironment,
} from '../isolation-provider.js';
import { applySetup } from './apply-task-setup.js';
import { checkOptions, checkTask, checkTasks, describeEnvironment } from './check-provider-call.js';
import { createPlaces, type EnvironmentPlaces, type Place } from './environment-places.js';
import { keepFiles } from './keep-attempt-files.js';
import { openProviderDirectory, type ProviderDirectory } from './provider-directory.js';
import { baseOf } from './task-base.js';
import type { HeldWorkspace, ProviderKind, WorkspaceMaker } from './workspace-maker.js';

/** Where a provider gets its context: opened by `init`, closed by `destroyAll`. */
export interface ContextSource {
  open(): Promise<Context>;
  close(): Promise<void>;
}

export interface LifecycleOptions {
  readonly source: ContextSource;
  readonly kind: ProviderKind;
  readonly parallelism: number;
  /** The tasks come from a dataset, which has checked them. */
  readonly isChecked?: boolean | undefined;
  readonly sealBase?: SealBase | undefined;
}

interface Opened {
  readonly context: Context;
  readonly bases: BaseShelf;
  readonly directory: ProviderDirectory;
  readonly maker: WorkspaceMaker;
}

/** An environment that a caller has. */
interface Held {
  readonly workspace: HeldWorkspace;
  readonly task: TaskDescriptor;
  readonly place: Place;
}

/**
 * The lifecycle that all providers share. What must hold at every moment:
 * - No more environments are in use than there are places. A place is taken before an environment is made, and left when
 *   the environment is returned, even when returning it failed: a broken one must not block the others.
 * - A workspace is in `held`, `returning` or `broken` from the moment it is created until it has been returned, so that
 *   `destroyAll` finds it.
 * - After `destroyAll` nothing is handed out: what is being made is returned, and its caller is rejected.
 */
export class ProviderLifecycle implements IsolationProvider {
  readonly #source: ContextSource;
  readonly #kind: ProviderKind;
  readonly #parallelism: number;
  readonly #sealBase: SealBase | undefined;
  readonly #checkTask: (at: string, task: TaskDescriptor) => void;
  readonly #places: EnvironmentPlaces;
  readonly #held = new Map<TaskEnvironment, Held>();
  readonly #returning = new Set<TaskEnvironment>();
  readonly #broken = new Set<HeldWorkspace>();
  /** Environments that `destroyAll` took back and that their callers have yet to release. */
  readonly #ended = new WeakSet<TaskEnvironment>();
  readonly #changes = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #counts = { acquired: 0, warm: 0 };
  #opening: Promise<Opened> | undefined;
  /** Set by the first `init` that succeeded. */
  #ready: Opened | undefined;
  #maker: WorkspaceMaker | undefined;
  #destroying: Promise<void> | undefined;

  constructor({ source, kind, parallelism, isChecked, sealBase }: LifecycleOptions) {
    this.#source = source;
    this.#kind = kind;
    this.#parallelism = parallelism;
    this.#sealBase = sealBase;
    this.#checkTask = isChecked ? () => undefined : checkTask;
    this.#places = createPlaces(parallelism);
    // Everything that is being made listens to it.
    setMaxListeners(0, this.#closing.signal);
  }

  async init(tasks: readonly TaskDescriptor[], options: InitOptions = {}): Promise<readonly BrokenTask[]> {
    this.#requireOpen('init');
    checkOptions('init', options, { signal: true });
    checkTasks(tasks);
    for (const [at, task] of tasks.entries()) this.#checkTask(`init.tasks.${at}`, task);
    return this.#track(this.#prepare(tasks, this.#until(options.signal)));
  }

  async acquire(task: TaskDescriptor, options: AcquireOptions = {}): Promise<TaskEnvironment> {
    const opened = this.#requireReady('acquire');
    checkOptions('acquire', options, { signal: true, timeoutMs: true, setup: true });
    this.#checkTask('acquire.task', task);
    const { signal, timeoutMs, setup = true } = options;
    const place = await this.#places.enter({ signal, timeoutMs });
    const making = this.#make(opened, { task, place, setup, signal: this.#until(signal) });
    const { environment, isWarm } = await this.#track(making);
    this.#counts.acquired++;
    if (isWarm) this.#counts.warm++;
    return environment;
  }

  async reset(environment: TaskEnvironment, options: ResetOptions = {}): Promise<void> {
    checkOptions('reset', options, { signal: true, setup: true });
    const held = this.#requireHeld('reset', environment);
    await this.#track(reset(environment, held, options.setup ?? false, this.#until(options.signal)));
  }

  async release(
    environment: TaskEnvironment,
    options: KeepOptions = {},
  ): Promise<{ readonly path: string | null }> {
    checkOptions('release', options, { keep: true });
    if (this.#ended.delete(environment)) return { path: null };
    const held = this.#requireHeld('release', environment);
    return { path: await this.#track(this.#giveBack(environment, held, options.keep ?? false)) };
  }

  destroyAll(): Promise<void> {
    this.#destroying ??= this.#destroy();
    return this.#destroying;
  }

  getStats(): PoolStats {
    const inUse = this.#held.size + this.#returning.size;
    const free = this.#maker?.countFree?.() ?? 0;
    const waiting = this.#places.waiting();
    return { total: inUse + free, inUse, free, waiting, parallelism: this.#parallelism, ...this.#counts };
  }

  #requireOpen(call: string): void {
    if (this.#destroying) throw carrelError('PROVIDER_CLOSED', { call });
  }

  #requireReady(call: string): Opened {
    this.#requireOpen(call);
    if (!this.#ready) throw carrelError('PROVIDER_NOT_READY', { call });
    return this.#ready;
  }

  #requireHeld(call: string, environment: TaskEnvironment): Held {
    const held = this.#held.get(environment);
    if (held) return held;
    throw carrelError('UNKNOWN_ENVIRONMENT', { call, found: describeEnvironment(environment) });
  }

  /** Aborted by the caller, or by `destroyAll`. */
  #until(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }

  async #prepare(tasks: readonly TaskDescriptor[], signal: AbortSignal): Promise<readonly BrokenTask[]> {
    const opened = await this.#open();
    const { bases, context, maker } = opened;
    const wanted = tasks.map(task => ({ id: task.id, base: baseOf(task, context.cwd) }));
    const broken = await bases.prepare(wanted, signal);
    const isBroken = new Set(broken.map(({ taskId }) => taskId));
    const first = wanted.filter(({ id }) => !isBroken.has(id)).slice(0, this.#parallelism);
    const warming = await Promise.all(first.map(({ base }) => bases.find(base, signal)));
    await maker.warm?.(warming, signal);
    this.#ready = opened;
    return broken;
  }

  /** Once; again after a failure. */
  #open(): Promise<Opened> {
    this.#opening ??= this.#openNow().catch(error => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #openNow(): Promise<Opened> {
    const { context, createMaker } = this.#kind(await this.#source.open());
    const directory = await openProviderDirectory(context);
    this.#maker = createMaker(directory);
    return { context, bases: createBaseShelf(context, this.#sealBase), directory, maker: this.#maker };
  }

  async #make(opened: Opened, request: EnvironmentRequest): Promise<HeldWorkspace> {
    const { task, place, setup, signal } = request;
    const { bases, context, maker } = opened;
    let held: Held | undefined;
    try {
      signal.throwIfAborted();
      const base = await bases.find(baseOf(task, context.cwd), signal);
      const workspace = await maker.make(base, task, signal);
      held = { workspace, task, place };
      this.#held.set(workspace.environment, held);
      if (setup) await applySetup(workspace.environment, task, signal);
      signal.throwIfAborted();
      return workspace;
    } catch (error) {
      if (held) await this.#giveBack(held.workspace.environment, held, false).catch(() => undefined);
      else await place.leave();
      throw error;
    }
  }

  async #giveBack(environment: TaskEnvironment, held: Held, keeps: boolean): Promise<string | null> {
    const { workspace, place } = held;
    this.#held.delete(environment);
    this.#returning.add(environment);
    try {
      if (keeps) await environment.endAll();
      const context = this.#ready?.context;
      const path = keeps && context ? await keepFiles(context, environment.id, workspace.files) : null;
      await makeRoom(environment, workspace.files);
      await workspace.giveBack();
      return path;
    } catch (error) {
      this.#broken.add(workspace);
      throw error;
    } finally {
      this.#returning.delete(environment);
      await place.leave();
    }
  }

  async #destroy(): Promise<void> {
    this.#closing.abort(carrelError('PROVIDER_CLOSED', { call: 'acquire' }));
    await this.#places.close();
    while (this.#changes.size > 0) await Promise.allSettled(this.#changes);
    const problems: unknown[] = [];
    const attempt = async (action: Promise<unknown> | undefined) =>
      action?.catch(error => problems.push(error));
    // What is broken here is tried once more below.
    for (const [environment, held] of this.#held) {
      this.#ended.add(environment);
      await this.#giveBack(environment, held, false).catch(() => undefined);
    }
    for (const workspace of this.#broken) await attempt(workspace.giveBack());
    const opened = await this.#opening?.catch(() => undefined);
    await attempt(opened?.maker.close?.());
    await attempt(opened?.directory.remove());
    await attempt(this.#source.close());
    if (problems.length > 0) throw problems[0];
  }

  #track<T>(change: Promise<T>): Promise<T> {
    const forget = () => this.#changes.delete(change);
    this.#changes.add(change);
    void change.then(forget, forget);
    return change;
  }
}

interface EnvironmentRequest {
  readonly task: TaskDescriptor;
  readonly place: Place;
  readonly setup: boolean;
  readonly signal: AbortSignal;
}

async function reset(
  environment: TaskEnvironment,
  { workspace, task }: Held,
  setup: boolean,
  signal: AbortSignal,
): Promise<void> {
  await makeRoom(environment, workspace.files);
  await workspace.reset(signal);
  if (setup) await applySetup(environment, task, signal);
}

/**
 * Deletes the files of a workspace that is about to be returned when their disk is full: returning it moves them
 * aside first, which needs space. The attempt's work is in its patch.
 */
async function makeRoom(environment: TaskEnvironment, files: string): Promise<void> {
  if ((await findFullPlace([files])) === undefined) return;
  await environment.endAll();
  for (const name of await readdir(files)) if (name !== '.git') await removeTree(join(files, name));
}
