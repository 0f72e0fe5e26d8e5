import { setMaxListeners } from 'node:events';
import { type AppOptions, openApp } from './app.js';
import { type Batches, openBatches } from './batch/batches.js';
import type { CarrelEvent } from './domain/event.js';
import type { LogLine } from './domain/log-line.js';
import type { PoolDraining, PoolReport, PoolWarming } from './domain/pool-report.js';
import type { ExecResult, LandResult, RemovalResult } from './domain/result.js';
import type { AcceptedRisks } from './domain/risk.js';
import type { Snapshot } from './domain/snapshot.js';
import type { Task } from './domain/task.js';
import type { Workspace, WorkspaceDetails } from './domain/workspace.js';
import { diffWorkspace } from './operations/diff.js';
import { removeWorkspace } from './operations/down.js';
import { execInWorkspace } from './operations/exec.js';
import { landWorkspace } from './operations/land.js';
import { listWorkspaces } from './operations/list.js';
import { drainPool, type LeasePool, openWorkspacePool, poolStatus, warmPool } from './operations/pool.js';
import { restoreSnapshot } from './operations/restore.js';
import { showWorkspace } from './operations/show.js';
import { snapshotWorkspace } from './operations/snapshot.js';
import { type UpInput, up } from './operations/up.js';
import { cancelTask } from './task/cancel-task.js';
import { type CreateTaskInput, createTask } from './task/create-task.js';
import { taskEvents } from './task/events-of-task.js';
import { executeTask } from './task/execute-task.js';
import { landTask } from './task/land-task.js';
import { listTasks } from './task/list-tasks.js';
import type { TaskObserver } from './task/observer.js';
import type { RetryWishes } from './task/plan-retry.js';
import { readLog } from './task/read-log.js';
import { retryTask } from './task/retry-task.js';
import { showTask } from './task/show-task.js';

export interface CarrelOptions {
  /** A directory in the repository; the current one by default. */
  readonly repository?: string | undefined;
  /** The process's own by default. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Progress and warnings, for people. */
  readonly narrate?: AppOptions['narrate'];
}

/** Carrel for one repository, with the same operations that the command line uses. */
export interface Carrel extends AsyncDisposable {
  /** Makes a task that waits; everything that can be known to be wrong is said here. */
  createTask(input: Omit<CreateTaskInput, 'repository'>): Promise<Task>;
  /** Works on it, or waits for its turn, to its end. Failing is a result. An abort cancels it. */
  executeTask(
    id: string,
    options?: { readonly signal?: AbortSignal | undefined; readonly observer?: TaskObserver | undefined },
  ): Promise<Task>;
  readonly tasks: {
    list(): Promise<Task[]>;
    show(id: string): Promise<Task>;
    cancel(id: string): Promise<Task>;
    /** Makes it wait again; `executeTask` then goes on after the last stage that succeeded. */
    retry(id: string, wishes?: RetryWishes): Promise<Task>;
    land(id: string, options?: { readonly into?: string | undefined }): Promise<LandResult>;
    log(
      id: string,
      options?: { readonly follow?: boolean; readonly signal?: AbortSignal },
    ): AsyncIterable<LogLine>;
  };
  /** What happens, in order, from all processes; of one task until that has ended. */
  events(options?: {
    readonly taskId?: string | undefined;
    readonly after?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }): AsyncIterable<CarrelEvent>;
  readonly workspaces: {
    create(input?: Omit<UpInput, 'repository'>): Promise<Workspace>;
    list(): Promise<WorkspaceDetails[]>;
    show(name: string): Promise<WorkspaceDetails>;
    exec(
      name: string,
      command: readonly string[],
      options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
    ): Promise<ExecResult>;
    /** The patch, as `git apply` takes it. */
    diff(name: string): Promise<string>;
    snapshot(name: string, message?: string): Promise<Snapshot>;
    restore(snapshot: string): Promise<Workspace>;
    land(name: string, options?: { readonly into?: string; readonly message?: string }): Promise<LandResult>;
    /** Refuses when work could be lost, unless that is accepted. */
    remove(name: string, accepted?: AcceptedRisks): Promise<RemovalResult>;
  };
  /** Warm workspaces of this repository, shared with all processes. */
  readonly pool: {
    status(): Promise<PoolReport>;
    /** Makes warm workspaces until so many are free. */
    warm(count: number): Promise<PoolWarming>;
    drain(): Promise<PoolDraining>;
    /** To lease them; whoever opens it closes it. */
    open(): Promise<LeasePool>;
  };
  /** Many attempts of many tasks, judged. */
  readonly batches: Batches;
  /** Cancels what this instance executes, waits for its end, and closes. Idempotent. */
  close(): Promise<void>;
}

export async function createCarrel(options: CarrelOptions = {}): Promise<Carrel> {
  const repository = options.repository ?? process.cwd();
  const environment = options.environment ?? ownEnvironment();
  const app = await openApp({ environment, cwd: repository, narrate: options.narrate, expects: repository });
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
  const carrel: Carrel = {
    createTask: input => createTask(app, { ...input, repository }),
    executeTask: (id, { signal, observer } = {}) =>
      untilSettled(executeTask(app, { id, signal: untilClosed(signal), observer })),
    tasks: {
      list: () => listTasks(app, { repository }),
      show: id => showTask(app, { id }),
      cancel: id => cancelTask(app, { id }),
      retry: (id, { timeoutMs, limits } = {}) => retryTask(app, { id, timeoutMs, limits }),
      land: (id, { into } = {}) => landTask(app, { id, into }),
      log: (id, { follow, signal } = {}) => {
        const ends = untilClosed(signal);
        return untilAborted(readLog(app, { id, follow, signal: ends }), ends);
      },
    },
    events: (wanted = {}) => {
      const signal = untilClosed(wanted.signal);
      return untilAborted(taskEvents(app, { ...wanted, signal }), signal);
    },
    workspaces: {
      create: (input = {}) => up(app, { ...input, repository }),
      list: () => listWorkspaces(app, { repository }),
      show: name => showWorkspace(app, { repository, name }),
      exec: (name, command, wishes = {}) =>
        execInWorkspace(app, { repository, name, command, output: 'capture', ...wishes }),
      diff: name => collect(write => diffWorkspace(app, { repository, name, format: 'patch' }, write)),
      snapshot: (name, message) => snapshotWorkspace(app, { repository, name, message }),
      restore: snapshot => restoreSnapshot(app, { repository, snapshot }),
      land: (name, wishes = {}) => landWorkspace(app, { repository, name, ...wishes }),
      remove: (name, accepted = {}) => removeWorkspace(app, { repository, name, accepted }),
    },
    pool: {
      status: () => poolStatus(app, { repository }),
      warm: count => warmPool(app, { repository, count }),
      drain: () => drainPool(app, { repository }),
      open: () => openWorkspacePool(app, { repository }),
    },
    batches: {
      ...batches,
      run: (wishes, control = {}) =>
        untilSettled(batches.run(wishes, { ...control, stop: untilClosed(control.stop) })),
      resume: (run, control = {}) =>
        untilSettled(batches.resume(run, { ...control, stop: untilClosed(control.stop) })),
      grade: (run, control = {}) =>
        untilSettled(batches.grade(run, { ...control, stop: untilClosed(control.stop) })),
      check: (wishes, control = {}) =>
        untilSettled(batches.check(wishes, { ...control, stop: untilClosed(control.stop) })),
    },
    close: async () => {
      closing.abort();
      await Promise.all(executing);
      await app.close();
    },
    [Symbol.asyncDispose]: () => carrel.close(),
  };
  return carrel;
}

/** Whoever iterates is told of the end and nothing else, also when the store is closed between two looks into it. */
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

const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
