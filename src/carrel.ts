import { setMaxListeners } from 'node:events';
import { type AppOptions, openApp, ownEnvironment } from './app.js';
import { type Batches, openBatches } from './batch/open-batches.js';
import type { CarrelEvent } from './domain/event.js';
import type { ExecResult } from './domain/report/result.js';
import type { LogLine } from './domain/task/log-line.js';
import type { Task } from './domain/task/task.js';
import type { Workspace } from './domain/workspace/workspace.js';
import { bindOperations, type LibraryCalls } from './library-calls.js';
import type { UpInput } from './operations/creation/plan-up.js';
import { type LeasePool, openWorkspacePool } from './operations/pool/manage-pool.js';
import { diffWorkspace } from './operations/workspace/diff.js';
import { up } from './operations/workspace/up.js';
import {
  ACQUIRE_FIELDS,
  BATCH_FIELDS,
  CHECK_FIELDS,
  CONTROL_FIELDS,
  createTask,
  RELEASE_FIELDS,
  requireKnown,
  UP_FIELDS,
} from './strict-library.js';
import type { CreateTaskInput } from './task/create-task.js';
import { type ExecuteInput, executeTask } from './task/execute-task.js';
import { taskEvents } from './task/log/follow-task-events.js';
import { readLog } from './task/log/read-log.js';
import type { RetryLimits } from './task/recovery/plan-retry.js';
import type { RetryRequest } from './task/recovery/retry.operation.js';

/** Options of `createCarrel`. All of them are optional. */
export interface CarrelOptions {
  /** A directory in the repository; the current one by default. */
  readonly repository?: string | undefined;
  /** The process's own by default. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Receives progress and warnings for the user. */
  readonly narrate?: AppOptions['narrate'];
  /** Your own backends by name; `workspaces.create({ backend })` and `workspace.backend` choose one. */
  readonly backends?: AppOptions['backends'];
}

/** Carrel for one repository, with the same operations that the command line uses. */
export interface Carrel extends AsyncDisposable {
  /** Creates a waiting task; fails here for every problem that can be found in advance. */
  createTask(input: Omit<CreateTaskInput, 'repository'>): Promise<Task>;
  /** Waits for its turn and runs it to the end. Failing is a result. An abort cancels it. */
  executeTask(id: string, options?: Omit<ExecuteInput, 'id'>): Promise<Task>;
  readonly tasks: {
    /** Queues it again; `executeTask` then continues after the last successful stage. */
    retry(id: string, request?: RetryRequest & RetryLimits): Promise<Task>;
    log(
      id: string,
      options?: { readonly follow?: boolean; readonly signal?: AbortSignal },
    ): AsyncIterable<LogLine>;
  } & Omit<LibraryCalls<'task'>, 'retry' | 'log'>;
  /** Events of all processes, in order; for one task until it has ended. */
  events(options?: {
    readonly taskId?: string | undefined;
    readonly after?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }): AsyncIterable<CarrelEvent>;
  readonly workspaces: {
    create(input?: Omit<UpInput, 'repository'>): Promise<Workspace>;
    /** Fails only if the command can't be run; its exit status is a result. */
    exec(
      name: string,
      command: readonly string[],
      options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
    ): Promise<ExecResult>;
    /** The patch, for `git apply`. */
    diff(name: string): Promise<string>;
    /** The same as `snapshots.restore`. */
    restore(snapshot: string): Promise<Workspace>;
  } & Omit<LibraryCalls<'workspace'>, 'create' | 'exec' | 'diff'>;
  /** Saved states of workspaces, also of removed ones. */
  readonly snapshots: LibraryCalls<'snapshot'>;
  /** Warm workspaces of this repository, shared with all processes. */
  readonly pool: {
    /** Opens the pool for leasing; the caller closes it. */
    open(): Promise<LeasePool>;
  } & LibraryCalls<'pool'>;
  /** The fleet of CARREL_FLEET, or the one of this machine. */
  readonly fleet: LibraryCalls<'fleet'>;
  /** Runs and grades many attempts at many tasks. */
  readonly batches: Batches & Omit<LibraryCalls<'batch'>, keyof Batches>;
  /** Every setting, with its origin. */
  readonly config: LibraryCalls<'config'>['show'];
  readonly doctor: LibraryCalls<'doctor'>['diagnose'];
  /** Plans what is no longer needed, and removes it with `execute`. */
  readonly gc: LibraryCalls<'garbage'>['collect'];
  /** Cancels the tasks of this instance, waits for them to stop, and closes. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens Carrel for one repository. Close it when done: `await carrel.close()`, or `await using`.
 *
 * @example
 * ```ts
 * import { createCarrel } from 'carrel';
 *
 * const carrel = await createCarrel({ repository: '/path/to/repository' });
 * const { path } = await carrel.workspaces.create({ name: 'login' });
 * await carrel.workspaces.exec('login', ['npm', 'test']);
 * await carrel.workspaces.land('login', { message: 'Add a login' });
 * await carrel.close();
 * ```
 */
export async function createCarrel(options: CarrelOptions = {}): Promise<Carrel> {
  requireKnown('createCarrel', options, {
    repository: true,
    environment: true,
    narrate: true,
    backends: true,
  });
  const repository = options.repository ?? process.cwd();
  const environment = options.environment ?? ownEnvironment();
  const { narrate, backends } = options;
  const app = await openApp({ environment, cwd: repository, narrate, backends, expects: repository });
  const closing = new AbortController();
  // Every task listens; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, closing.signal);
  const untilClosed = (signal?: AbortSignal) =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  const executing = new Set<Promise<unknown>>();
  const untilSettled = <T>(execution: Promise<T>): Promise<T> => {
    const settled = execution.catch(() => undefined).finally(() => executing.delete(settled));
    executing.add(settled);
    return execution;
  };
  const batches = openBatches(app, repository);
  const batchCalls = bindOperations(app, repository, 'batch');
  const tasks = bindOperations(app, repository, 'task');
  const workspaces = bindOperations(app, repository, 'workspace');
  const snapshots = bindOperations(app, repository, 'snapshot');
  const carrel: Carrel = {
    createTask: async input => createTask(app, { ...input, repository }),
    executeTask: async (id, options = {}) => {
      const fields = { signal: true, observer: true, autoRetry: true } as const;
      const { signal, ...rest } = requireKnown('executeTask', options, fields);
      return untilSettled(executeTask(app, { ...rest, id, signal: untilClosed(signal) }));
    },
    tasks: {
      ...tasks,
      retry: async (id, { timeoutMs, limits, ...request } = {}) =>
        tasks.retry(id, { ...request, ...toRetryRequest(timeoutMs, limits) }),
      log: (id, options = {}) => {
        const { follow, signal } = requireKnown('tasks.log', options, { follow: true, signal: true });
        const ends = untilClosed(signal);
        return untilAborted(readLog(app, { id, follow, signal: ends }), ends);
      },
    },
    events: (wanted = {}) => {
      requireKnown('events', wanted, { taskId: true, after: true, signal: true });
      const signal = untilClosed(wanted.signal);
      return untilAborted(taskEvents(app, { ...wanted, signal }), signal);
    },
    workspaces: {
      ...workspaces,
      create: async (input = {}) =>
        up(app, requireKnown('workspaces.create', { ...input, repository }, UP_FIELDS)),
      exec: (name, command, { signal, ...limits } = {}) =>
        workspaces.exec(name, { ...limits, command: [...command] }, { signal }),
      diff: name => collect(write => diffWorkspace(app, { repository, name, format: 'patch' }, write)),
      restore: snapshot => snapshots.restore(snapshot),
    },
    snapshots,
    pool: {
      ...bindOperations(app, repository, 'pool'),
      open: async () => strictPool(await openWorkspacePool(app, { repository })),
    },
    batches: {
      ...batchCalls,
      ...batches,
      start: async (request, options = {}) =>
        untilSettled(batchCalls.start(request, { ...options, signal: untilClosed(options.signal) })),
      run: async (options, control = {}) => {
        requireKnown('batches.run', options, BATCH_FIELDS);
        requireKnown('batches.run', control, CONTROL_FIELDS);
        return untilSettled(batches.run(options, { ...control, stop: untilClosed(control.stop) }));
      },
      resume: async (run, control = {}) => {
        requireKnown('batches.resume', control, { ...CONTROL_FIELDS, agent: true });
        return untilSettled(batches.resume(run, { ...control, stop: untilClosed(control.stop) }));
      },
      grade: async (run, control = {}) => {
        requireKnown('batches.grade', control, CONTROL_FIELDS);
        return untilSettled(batches.grade(run, { ...control, stop: untilClosed(control.stop) }));
      },
      check: async (options, control = {}) => {
        requireKnown('batches.check', options, CHECK_FIELDS);
        requireKnown('batches.check', control, CONTROL_FIELDS);
        return untilSettled(batches.check(options, { ...control, stop: untilClosed(control.stop) }));
      },
    },
    fleet: bindOperations(app, repository, 'fleet'),
    config: bindOperations(app, repository, 'config').show,
    doctor: bindOperations(app, repository, 'doctor').diagnose,
    gc: bindOperations(app, repository, 'garbage').collect,
    close: async () => {
      closing.abort();
      await Promise.all(executing);
      await app.close();
    },
    [Symbol.asyncDispose]: () => carrel.close(),
  };
  return carrel;
}

const strictPool = (pool: LeasePool): LeasePool => ({
  ...pool,
  acquire: async request => pool.acquire(requireKnown('acquire', request, ACQUIRE_FIELDS)),
  release: async (lease, options = {}) =>
    pool.release(lease, requireKnown('release', options, RELEASE_FIELDS)),
});

/** The consumer only sees the end of the stream, even when the store is closed between two reads. */
async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, void> {
  try {
    yield* items;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function collect(produce: (write: (chunk: Buffer) => void) => Promise<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  await produce(chunk => void chunks.push(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** The limits as programs know them. */
const toRetryRequest = (
  timeoutMs: RetryLimits['timeoutMs'],
  limits: RetryLimits['limits'],
): RetryRequest => ({
  ...(timeoutMs !== undefined && { timeoutSeconds: timeoutMs / 1000 }),
  ...(limits?.costUsd !== undefined && { costLimitUsd: limits.costUsd }),
  ...(limits?.tokens !== undefined && { tokenLimit: limits.tokens }),
});
