import type { Overview } from '../../domain/api/overview.js';
import type { CarrelEvent } from '../../domain/event.js';
import type { RemovalResult } from '../../domain/report/result.js';
import type {
  DeveloperWorkflow,
  DeveloperWorktree,
  WorkflowRequest,
} from '../../domain/story/developer-workflow.js';
import type { AcceptedRisks } from '../../domain/workspace/risk.js';
import type { DerivedCalls } from './derived-routes.js';

/** Aborts the call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** For calls that create something. */
export interface MakingOptions extends CallOptions {
  /** A repeated request with the same key returns the result of the first one and creates nothing. */
  readonly idempotencyKey?: string | undefined;
}

/** One repository (default: all that the server knows). */
export interface OfRepository extends CallOptions {
  readonly repository?: string | undefined;
}

/** The API of a Carrel server. Failures are a ProblemError, or an UnreachableError if there is no answer. */
export interface CarrelClient {
  /** Needs no token. */
  health(options?: CallOptions): Promise<{ readonly status: 'ok'; readonly version: string }>;
  overview(options?: CallOptions): Promise<Overview>;
  /** Stories: each one runs in its own worktree. */
  readonly developer: {
    /** With `waitSeconds`, waits until the workflow stops, at most for that time. */
    submit(
      request: WorkflowRequest,
      options?: MakingOptions & { readonly waitSeconds?: number | undefined },
    ): Promise<DeveloperWorkflow>;
    list(options?: CallOptions): Promise<DeveloperWorkflow[]>;
    show(id: string, options?: CallOptions): Promise<DeveloperWorkflow>;
    worktrees(options?: CallOptions): Promise<DeveloperWorktree[]>;
    /** By the id of the worktree or of its workflow. */
    removeWorktree(id: string, accepted?: AcceptedRisks, options?: CallOptions): Promise<RemovalResult>;
  };
  readonly tasks: DerivedCalls['task'];
  readonly workspaces: DerivedCalls['workspace'];
  readonly snapshots: DerivedCalls['snapshot'];
  readonly pool: DerivedCalls['pool'];
  readonly fleet: DerivedCalls['fleet'];
  readonly batches: {
    /** For a browser with a session: an address of the report that works once, for a minute. */
    reportLink(run: string, options?: CallOptions): Promise<{ readonly url: string }>;
  } & DerivedCalls['batch'];
  readonly config: DerivedCalls['config']['show'];
  readonly doctor: DerivedCalls['doctor']['diagnose'];
  /** For a browser: ends its session on the server, in all tabs. */
  endSession(options?: CallOptions): Promise<void>;
  /** The events of all processes, in order. Reconnects after a broken connection and continues where it broke. */
  events(
    options?: CallOptions & {
      readonly taskId?: string | undefined;
      /** The sequence of the last seen event. Default: from now on, or from the first event of the task. */
      readonly after?: number | undefined;
    },
  ): AsyncIterable<CarrelEvent>;
}
