import { requireAgreement } from '../../../domain/quantity/clock-agreement.js';
import type { GcItem, GcReport } from '../../../domain/report/result.js';
import type { DeveloperWorktree, WorkflowStatus } from '../../../domain/story/developer-workflow.js';
import { formatDuration } from '../../../domain/text/format-quantity.js';
import type { Risk } from '../../../domain/workspace/risk.js';
import type { CarrelClient } from '../../client/carrel-client.js';
import { ProblemError } from '../../client/problem-error.js';

export interface RemoteCleanup {
  /** All repositories that the server knows when omitted. */
  readonly repository: string | undefined;
  readonly olderThanMs: number;
  /** False: only the plan. */
  readonly execute: boolean;
  readonly now: number;
  /** The user says that the clock is right. */
  readonly trustClock?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Lists the worktrees of a server that can be removed without losing work, with a reason for each, and removes them on request. */
export async function cleanUpRemote(client: CarrelClient, order: RemoteCleanup): Promise<GcReport> {
  if (order.execute && !order.trustClock) await requireClock(client, order);
  const items: GcItem[] = [];
  for (const worktree of await listWorktrees(client, order)) {
    order.signal.throwIfAborted();
    items.push(await considerOne(client, worktree, order));
  }
  const { execute: executed, olderThanMs } = order;
  const freedBytes = items
    .filter(item => item.outcome === 'removed')
    .reduce((sum, item) => sum + (item.bytes ?? 0), 0);
  return { executed, olderThanMs, items, freedBytes };
}

/** Ages compare the local clock with times that the server recorded. CLOCK_DISAGREES. */
async function requireClock(client: CarrelClient, { now, signal }: RemoteCleanup): Promise<void> {
  const worktrees = await client.developer.worktrees({ signal });
  const [task] = await client.tasks.list({ limit: 1, signal });
  const times = [...worktrees.map(({ lastActivityAt }) => lastActivityAt), task?.endedAt ?? task?.createdAt];
  const latest = times
    .filter(time => typeof time === 'string')
    .sort()
    .at(-1);
  if (latest !== undefined) requireAgreement(now, latest);
}

async function listWorktrees(
  client: CarrelClient,
  { repository, signal }: RemoteCleanup,
): Promise<DeveloperWorktree[]> {
  const all = await client.developer.worktrees({ signal });
  if (repository === undefined) return all;
  const wanted = await client.workspaces.list({ repository, fast: true, signal });
  const ids = new Set(wanted.map(({ id }) => id));
  return all.filter(({ id }) => ids.has(id));
}

async function considerOne(
  client: CarrelClient,
  worktree: DeveloperWorktree,
  { now, olderThanMs, execute }: RemoteCleanup,
): Promise<GcItem> {
  const idleMs = Math.max(0, now - Date.parse(worktree.lastActivityAt));
  const what = worktree.workflowId === null ? 'nothing to lose' : 'its branch is kept';
  const reason = `not used for ${formatDuration(idleMs)}, ${what}`;
  if (idleMs < olderThanMs)
    return describe(
      worktree,
      'kept',
      `used ${formatDuration(idleMs)} ago, kept for ${formatDuration(olderThanMs)}`,
    );
  try {
    const obstacle = await findObstacle(client, worktree);
    if (obstacle !== undefined) return describe(worktree, 'kept', obstacle);
    if (!execute) return describe(worktree, 'planned', reason);
    await client.developer.removeWorktree(worktree.id);
    return describe(worktree, 'removed', reason);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return explainRefusal(worktree, error);
  }
}

/** A task that is running or can be resumed needs its worktree. */
const NEEDS_WORKTREE: ReadonlySet<WorkflowStatus> = new Set(['pending', 'running', 'interrupted']);

/** The server checks these again when it removes. */
async function findObstacle(client: CarrelClient, worktree: DeveloperWorktree): Promise<string | undefined> {
  const { id, workflowId, status } = worktree;
  if (status !== 'ready') return `it is ${status} by another process`;
  const workflow = workflowId === null ? undefined : await client.developer.show(workflowId);
  if (workflow && NEEDS_WORKTREE.has(workflow.status))
    return `its workflow ${workflow.id} is ${workflow.status}`;
  const { risks } = await client.workspaces.risks(id);
  // The branch of a workflow is kept, with its commits.
  const real = workflow ? risks.filter(({ kind }) => kind !== 'commits') : risks;
  return real.length === 0 ? undefined : real.map(({ message }) => message).join('; ');
}

function explainRefusal(
  worktree: DeveloperWorktree,
  { code, status, message, problem }: ProblemError,
): GcItem {
  if (code === 'WORKSPACE_NOT_FOUND') return describe(worktree, 'removed', 'another process has removed it');
  const risks = problem.details.risks as readonly Risk[] | undefined;
  const reason = risks?.map(risk => risk.message).join('; ') ?? message;
  return describe(worktree, status === 409 ? 'kept' : 'failed', reason);
}

function describe(
  { id, worktreePath, workspace }: DeveloperWorktree,
  outcome: GcItem['outcome'],
  reason: string,
): GcItem {
  const action = outcome === 'planned' || outcome === 'removed' ? 'remove' : 'keep';
  const bytes = action === 'remove' ? (workspace.sizeBytes ?? null) : null;
  return { kind: 'workspace', id, name: workspace.name, path: worktreePath, action, reason, bytes, outcome };
}
