import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { requireReady } from '../operations/require-ready.js';
import type { Backend, Inspection, Landing } from '../workspace/backend.js';
import { keepRewritten } from './keep-rewritten.js';
import { explainError, failCancelled, holdAsItIs, type SettleFailure } from './settle-failure.js';
import { settleInside } from './settle-inside.js';
import { settleWorktree } from './settle-worktree.js';

export interface SettleRequest {
  /** What the branch was at before; null without version control. */
  readonly before: string | null;
  /** For the commit of what is uncommitted. */
  readonly message: string;
  readonly signal?: AbortSignal | undefined;
}

export type Settled =
  | {
      readonly kind: 'settled';
      /** What the branch is at; null without version control. */
      readonly commit: string | null;
      /** Null where nobody can tell. */
      readonly changed: boolean | null;
      /** Whether there was something to commit. */
      readonly committed: boolean;
      readonly warnings: readonly string[];
    }
  | SettleFailure;

/** All work on the branch, or the reason why it is not. */
export type OnBranch =
  | {
      readonly kind: 'on-branch';
      readonly commit: string | null;
      readonly committed: boolean;
      readonly warnings: readonly string[];
    }
  | SettleFailure;

/**
 * Brings what an agent left to the branch of its workspace, once nothing of it runs any more:
 *
 *     files gone or replaced                 failed: workspace-lost
 *     rebase, merge, ... in progress         failed: operation-in-progress
 *     another branch that contains ours      our branch is moved there, HEAD comes back; a warning
 *     another branch that does not           failed: branch-left
 *     uncommitted changes                    committed, without hooks
 *     history rewritten                      allowed; what was there stays pinned; a warning
 *
 * Whatever the outcome, nothing is thrown away: where it failed, a snapshot holds what is there. A directory of the user's own is only looked at.
 */
export async function settleWork(
  context: Context,
  record: WorkspaceRecord,
  request: SettleRequest,
): Promise<Settled> {
  const { before, signal } = request;
  try {
    await requireReady(context, record);
    const work = await bringToBranch(context, record, request);
    if (work.kind === 'failed') return holdAsItIs(context, record, work);
    const { commit, committed, warnings } = work;
    const kept = await keepRewritten(context, record, before, commit);
    const changed = commit === null ? null : commit !== before;
    return { kind: 'settled', commit, changed, committed, warnings: [...warnings, ...kept] };
  } catch (error) {
    if (signal?.aborted) return failCancelled();
    return holdAsItIs(context, record, explainError(record, error));
  }
}

function bringToBranch(context: Context, record: WorkspaceRecord, request: SettleRequest): Promise<OnBranch> {
  const backend = context.backends[record.backend];
  const place = backend.workTree(record);
  if (!backend.landing) return lookOnly(backend, record);
  if (!place) return commitChange(backend, backend.landing, record, request);
  return record.sandbox
    ? settleInside(context, record, place, request)
    : settleWorktree(context, record, place, request);
}

async function lookOnly(backend: Backend, record: WorkspaceRecord): Promise<OnBranch> {
  return { kind: 'on-branch', commit: await readHead(backend, record), committed: false, warnings: [] };
}

/** In jj the files are a commit at any time, on no branch, and nothing is ever left in progress. */
async function commitChange(
  backend: Backend,
  landing: Landing,
  record: WorkspaceRecord,
  { message }: SettleRequest,
): Promise<OnBranch> {
  const head = await readHead(backend, record);
  const commit = await landing.commitAll(record, message);
  return { kind: 'on-branch', commit, committed: commit !== head, warnings: [] };
}

async function readHead(backend: Backend, record: WorkspaceRecord): Promise<string | null> {
  const [look] = await backend.inspect([record], { size: false });
  return (look as Inspection).head;
}
