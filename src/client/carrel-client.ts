import type {
  BatchRequest,
  LandRequest,
  RemovalRisks,
  RestoreRequest,
  RetryRequest,
  SnapshotRequest,
  TaskRequest,
  WarmRequest,
  WorkspaceRequest,
} from '../domain/api-requests.js';
import type { BatchRun } from '../domain/batch-run.js';
import type { BatchSummary } from '../domain/batch-summary.js';
import type { Comparison } from '../domain/comparison.js';
import type { DeveloperWorkflow, DeveloperWorktree, WorkflowRequest } from '../domain/developer-workflow.js';
import type { CarrelEvent } from '../domain/event.js';
import type { LogLine } from '../domain/log-line.js';
import type { Overview } from '../domain/overview.js';
import type { PoolDraining, PoolReport, PoolWarming } from '../domain/pool-report.js';
import type { ConfigReport, DoctorReport, LandResult, RemovalResult } from '../domain/result.js';
import type { AcceptedRisks } from '../domain/risk.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { Task, TaskStatus } from '../domain/task.js';
import type { Workspace, WorkspaceDetails } from '../domain/workspace.js';

/** Ends a call from outside. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** For what makes something. */
export interface MakingOptions extends CallOptions {
  /** With the same key the same request, when it comes again, gives what the first has made, and makes nothing. */
  readonly idempotencyKey?: string | undefined;
}

/** Of one repository; of all that the server knows when left out. */
export interface OfRepository extends CallOptions {
  readonly repository?: string | undefined;
}

/** A server of Carrel, as programs see it. What goes wrong is a ProblemError, or an UnreachableError without an answer. */
export interface CarrelClient {
  /** Needs no token. */
  health(options?: CallOptions): Promise<{ readonly status: 'ok'; readonly version: string }>;
  overview(options?: CallOptions): Promise<Overview>;
  /** Stories: what is sent is carried out in a worktree of its own. */
  readonly developer: {
    /** With `waitSeconds` the answer comes when the workflow has ended, or after that time. */
    submit(
      request: WorkflowRequest,
      options?: MakingOptions & { readonly waitSeconds?: number | undefined },
    ): Promise<DeveloperWorkflow>;
    list(options?: CallOptions): Promise<DeveloperWorkflow[]>;
    show(id: string, options?: CallOptions): Promise<DeveloperWorkflow>;
    worktrees(options?: CallOptions): Promise<DeveloperWorktree[]>;
    /** By its own id or that of its workflow. */
    removeWorktree(id: string, accepted?: AcceptedRisks, options?: CallOptions): Promise<RemovalResult>;
  };
  readonly tasks: {
    create(request: TaskRequest, options?: MakingOptions): Promise<Task>;
    /** Newest first. */
    list(options?: OfRepository & { readonly status?: TaskStatus; readonly limit?: number }): Promise<Task[]>;
    show(id: string, options?: CallOptions): Promise<Task>;
    cancel(id: string, options?: CallOptions): Promise<Task>;
    /** Goes on after the last stage that succeeded. */
    retry(id: string, request?: RetryRequest, options?: CallOptions): Promise<Task>;
    land(id: string, request?: LandRequest, options?: CallOptions): Promise<LandResult>;
    /** The patch, as `git apply` takes it. */
    diff(id: string, options?: CallOptions): Promise<string>;
    /** With `follow` until the task has ended, also over a server that is started again. */
    log(id: string, options?: CallOptions & { readonly follow?: boolean }): AsyncIterable<LogLine>;
  };
  readonly workspaces: {
    create(request?: WorkspaceRequest, options?: CallOptions): Promise<Workspace>;
    /** With `fast` without a look at the files. Oldest first. */
    list(options?: OfRepository & { readonly fast?: boolean | undefined }): Promise<WorkspaceDetails[]>;
    show(id: string, options?: CallOptions): Promise<WorkspaceDetails>;
    diff(id: string, options?: CallOptions): Promise<string>;
    snapshot(id: string, request?: SnapshotRequest, options?: CallOptions): Promise<Snapshot>;
    land(id: string, request?: LandRequest, options?: CallOptions): Promise<LandResult>;
    /** What removing would lose now. */
    risks(id: string, options?: CallOptions): Promise<RemovalRisks>;
    /** A ProblemError with the risks in its details when work would be lost that is not accepted. */
    remove(id: string, accepted?: AcceptedRisks, options?: CallOptions): Promise<RemovalResult>;
  };
  readonly snapshots: {
    list(options?: OfRepository): Promise<Snapshot[]>;
    restore(id: string, request?: RestoreRequest, options?: CallOptions): Promise<Workspace>;
  };
  readonly pool: {
    status(options?: OfRepository): Promise<PoolReport>;
    warm(request: WarmRequest, options?: CallOptions): Promise<PoolWarming>;
    drain(options?: OfRepository): Promise<PoolDraining>;
  };
  readonly batches: {
    start(request: BatchRequest, options?: CallOptions): Promise<BatchSummary>;
    /** Newest first. */
    list(options?: CallOptions): Promise<BatchSummary[]>;
    show(run: string, options?: CallOptions): Promise<BatchRun>;
    /** Begins no more attempts; those that run come to their end. */
    stop(run: string, options?: CallOptions): Promise<BatchSummary>;
    resume(run: string, options?: CallOptions): Promise<BatchSummary>;
    compare(runs: readonly string[], options?: CallOptions): Promise<Comparison>;
    patch(run: string, taskId: string, attempt: number, options?: CallOptions): Promise<string>;
    log(run: string, taskId: string, attempt: number, options?: CallOptions): Promise<string>;
  };
  config(options?: OfRepository): Promise<ConfigReport>;
  doctor(options?: OfRepository): Promise<DoctorReport>;
  /** What happens, in order, from all processes. A connection that breaks is made again where it broke. */
  events(
    options?: CallOptions & {
      readonly taskId?: string | undefined;
      /** The sequence of the last event that was seen. Left out: from now on, or from the first event of the task. */
      readonly after?: number | undefined;
    },
  ): AsyncIterable<CarrelEvent>;
}
