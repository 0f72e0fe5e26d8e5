import { carrelError } from '../domain/error.js';
import type { Context } from '../operations/context.js';
import type { IsolationProvider, TaskDescriptor, TaskEnvironment } from './isolation-provider.js';
import { makeRoom } from './make-room.js';
import { createBaseShelf } from './provider-bases.js';
import { openDesk, type ProviderDesk } from './provider-desk.js';
import { keepFiles } from './provider-kept.js';
import type { SealedBase } from './sealed-base.js';

/** What differs from provider to provider: how a workspace comes to be and goes. */
export interface WorkspaceMaker {
  make(base: SealedBase, task: TaskDescriptor, signal: AbortSignal | undefined): Promise<HeldWorkspace>;
  /** Makes workspaces ahead, one for each base of the list, in which a base may be several times. */
  warm?(bases: readonly SealedBase[], signal: AbortSignal | undefined): Promise<void>;
  /** How many nobody has. */
  countFree?(): number;
  /** When all are given back. */
  close?(): Promise<void>;
}

export interface HeldWorkspace {
  readonly environment: TaskEnvironment;
  /** Where its files are, seen from outside. */
  readonly files: string;
  /** Whether it was there before it was asked for. */
  readonly isWarm: boolean;
  /** Both end first what runs in it. */
  reset(): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * The life that all providers have in common. What always holds: a workspace is in `held` from the moment it is made until
 * it was given back, so that `destroyAll` finds it; what was made after `destroyAll` had begun is given back at once.
 */
export function createProvider(
  context: Context,
  parallelism: number,
  createMaker: (desk: ProviderDesk) => WorkspaceMaker,
): IsolationProvider {
  const bases = createBaseShelf(context);
  const held = new Map<TaskEnvironment, HeldWorkspace>();
  const making = new Set<Promise<unknown>>();
  const counts = { acquired: 0, warm: 0 };
  let opened: Promise<{ desk: ProviderDesk; maker: WorkspaceMaker }> | undefined;
  let maker: WorkspaceMaker | undefined;
  let destroying: Promise<void> | undefined;
  const open = () => {
    opened ??= openDesk(context).then(desk => {
      maker = createMaker(desk);
      return { desk, maker };
    });
    return opened;
  };
  const requireHeld = (environment: TaskEnvironment): HeldWorkspace => {
    const found = held.get(environment);
    if (!found) throw carrelError('STALE_LEASE', { lease: environment.id });
    return found;
  };
  const acquire = async (task: TaskDescriptor, signal: AbortSignal | undefined): Promise<HeldWorkspace> => {
    const base = await bases.find(task.base, signal);
    const workspace = await (await open()).maker.make(base, task, signal);
    held.set(workspace.environment, workspace);
    return workspace;
  };
  const giveBack = async (environment: TaskEnvironment, keeps: boolean): Promise<string | null> => {
    const workspace = requireHeld(environment);
    if (keeps) await environment.endAll();
    const path = keeps ? await keepFiles(context, environment.id, workspace.files) : null;
    await makeRoom(environment, workspace.files);
    await workspace.giveBack();
    held.delete(environment);
    return path;
  };
  const destroyAll = async (): Promise<void> => {
    await Promise.allSettled(making);
    const problems: unknown[] = [];
    const attempt = (action: Promise<unknown> | undefined) => action?.catch(error => problems.push(error));
    for (const environment of held.keys()) await attempt(giveBack(environment, false));
    const { desk } = (await opened) ?? {};
    await attempt(maker?.close?.());
    await attempt(desk?.remove());
    if (problems.length > 0) throw problems[0];
  };
  return {
    init: async (tasks, { signal } = {}) => {
      const broken = await bases.prepare(tasks, signal);
      const isBroken = new Set(broken.map(({ taskId }) => taskId));
      const first = tasks.filter(({ id }) => !isBroken.has(id)).slice(0, parallelism);
      const warming = await Promise.all(first.map(task => bases.find(task.base, signal)));
      await (await open()).maker.warm?.(warming, signal);
      return broken;
    },
    acquire: async (task, { signal } = {}) => {
      if (destroying) throw carrelError('POOL_CLOSED', {});
      const acquiring = acquire(task, signal);
      making.add(acquiring);
      const { environment, isWarm } = await acquiring.finally(() => making.delete(acquiring));
      counts.acquired++;
      if (isWarm) counts.warm++;
      return environment;
    },
    reset: async environment => {
      const workspace = requireHeld(environment);
      await makeRoom(environment, workspace.files);
      await workspace.reset();
    },
    release: async (environment, { keep = false } = {}) => ({ path: await giveBack(environment, keep) }),
    destroyAll: () => (destroying ??= destroyAll()),
    getStats: () => {
      const free = maker?.countFree?.() ?? 0;
      return { total: held.size + free, inUse: held.size, free, ...counts };
    },
  };
}
