import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Context } from '../../../operations/context.js';
import { requireReady } from '../../../operations/guard/require-ready.js';
import type { Backend, Landing } from '../../../workspace/backend.js';
import { requireInspected } from '../../../workspace/location/presence.js';
import { type CommitFailure, explainError, failCancelled, snapshotUncommittable } from './commit-failure.js';
import { commitWorkInSandbox } from './commit-work-in-sandbox.js';
import { commitWorkInWorktree } from './commit-work-in-worktree.js';
import { pinRewrittenCommits } from './pin-rewritten-commits.js';

export interface CommitWorkRequest {
  /** The branch's commit before; null without version control. */
  readonly before: string | null;
  /** For the commit of uncommitted changes. */
  readonly message: string;
  readonly signal?: AbortSignal | undefined;
}

export type CommittedWork =
  | {
      readonly kind: 'committed';
      /** The branch's commit; null without version control. */
      readonly commit: string | null;
      /** Null when unknown. */
      readonly changed: boolean | null;
      /** Whether there was something to commit. */
      readonly committed: boolean;
      readonly warnings: readonly string[];
    }
  | CommitFailure;

/** All work on the branch, or the reason why it is not. */
export type OnBranch =
  | {
      readonly kind: 'on-branch';
      readonly commit: string | null;
      readonly committed: boolean;
      readonly warnings: readonly string[];
    }
  | CommitFailure;

/**
 * Commits what an agent left to the branch of its workspace, once none of its processes runs any more:
 *
 *     files gone or replaced                 failed: workspace-lost
 *     rebase, merge, ... in progress         failed: operation-in-progress
 *     another branch that contains ours      our branch is moved there, HEAD is reset to it; a warning
 *     another branch that does not           failed: branch-left
 *     uncommitted changes                    committed, without hooks
 *     history rewritten                      allowed; the old commits stay pinned; a warning
 *
 * Nothing is ever thrown away: after a failure a snapshot has the current state. A directory of the user's own is only read.
 */
export async function commitWork(
  context: Context,
  record: WorkspaceRecord,
  request: CommitWorkRequest,
): Promise<CommittedWork> {
  const { before, signal } = request;
  try {
    await requireReady(context, record);
    const work = await commitToBranch(context, record, request);
    if (work.kind === 'failed') return snapshotUncommittable(context, record, work);
    const { commit, committed, warnings } = work;
    const kept = await pinRewrittenCommits(context, record, before, commit);
    const changed = commit === null ? null : commit !== before;
    return { kind: 'committed', commit, changed, committed, warnings: [...warnings, ...kept] };
  } catch (error) {
    if (signal?.aborted) return failCancelled();
    return snapshotUncommittable(context, record, explainError(record, error));
  }
}

function commitToBranch(
  context: Pick<Context, 'backends' | 'git' | 'sandboxes' | 'ids' | 'places' | 'narrate'>,
  record: WorkspaceRecord,
  request: CommitWorkRequest,
): Promise<OnBranch> {
  const backend = context.backends.of(record.backend);
  const place = backend.workTree(record);
  if (!backend.landing) return readWithoutCommitting(backend, record);
  if (!place) return commitChange(backend, backend.landing, record, request);
  return record.sandbox
    ? commitWorkInSandbox(context, record, place, request)
    : commitWorkInWorktree(context, record, place, request);
}

async function readWithoutCommitting(backend: Backend, record: WorkspaceRecord): Promise<OnBranch> {
  return { kind: 'on-branch', commit: await readHead(backend, record), committed: false, warnings: [] };
}

/** In jj the files are always a commit, on no branch, and no operation is ever left in progress. */
async function commitChange(
  backend: Backend,
  landing: Landing,
  record: WorkspaceRecord,
  { message }: CommitWorkRequest,
): Promise<OnBranch> {
  const head = await readHead(backend, record);
  const { commit, leftOut } = await landing.commitAll(record, message);
  return { kind: 'on-branch', commit, committed: commit !== head, warnings: leftOut };
}

async function readHead(backend: Backend, record: WorkspaceRecord): Promise<string | null> {
  const [inspection] = await backend.inspect([record], { size: false });
  return requireInspected(inspection).head;
}
