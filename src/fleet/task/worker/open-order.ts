import { readFile } from 'node:fs/promises';
import { carrelError } from '../../../domain/error/error.js';
import type { TaskJob } from '../../../domain/fleet/task-job.js';
import { type TaskOrder, TaskOrderSchema } from '../../../domain/fleet/task-order.js';
import type { ResolvedAgent, TaskRecord } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';
import { acceptTask } from '../../../task/queue/accept-task.js';
import type { BlobStore } from '../../artifacts/blob-store.js';
import { withOwnSecrets } from '../../travel/agent/open-described-agent.js';
import type { HostCache } from '../../travel/host-cache.js';
import { admitAgent } from '../../travel/trust/admit-job.js';
import { unpackHistory } from '../travel/history.js';
import { unpackOutputs } from '../travel/outputs.js';

export interface OrderPlace {
  readonly cache: HostCache;
  readonly store: BlobStore;
  /** The repository of the task, which does not exist yet. */
  readonly root: string;
  readonly signal: AbortSignal;
}

const MOST_ORDER_BYTES = 16 * 1024 ** 2;

/** Fetches what a job consists of, and creates its task in the store of this host. JOB_INVALID, JOB_KEYS_MISSING,
 * JOB_PROGRAMS_MISSING, BASE_UNAVAILABLE. */
export async function openOrder(context: Context, job: TaskJob, place: OrderPlace): Promise<TaskRecord> {
  const { cache, store, root, signal } = place;
  const limits = { signal, deadline: Date.parse(job.deadline) };
  const file = await cache.file(job.order, 'order.json', { ...limits, limitBytes: MOST_ORDER_BYTES });
  const order = await readOrder(file, job);
  const agents = openAgents(context, job, order);
  const bundle = await cache.file(job.base.bundle, 'history.bundle', limits);
  await unpackHistory(context, { bundle, commit: job.base.commit }, root, signal);
  const repository = await context.backends.git.locate(root);
  const { description, issue, agent, head, usage, name, branch } = order;
  const { workflow, validation, limits: most, timeoutMs, retryDelayMs, prefersContainer } = order;
  const task = await acceptTask(context, repository, {
    ...{ description, agent, usage, workspaceName: name, isolation: job.isolation },
    ...(issue && { issue }),
    head: head === null ? null : job.base.commit,
    commit: job.base.commit,
    stages: order.stages,
    plan: {
      ...{ workflow, agents, validation, limits: most, timeoutMs, retryDelayMs, branch },
      ...(prefersContainer && { prefersContainer }),
      ...{ askedBy: 'flag', submittedAs: job.task, land: null, publish: null },
      // What is left in it is committed first.
      ...{ cleanupOnComplete: false, preserveOnFailure: true },
    },
  });
  const stages = await unpackOutputs(context, store, task.id, order, limits);
  return (await context.store.tasks.update(task.id, { statuses: ['waiting'] }, { stages }, [])) ?? task;
}

async function readOrder(file: string, job: TaskJob): Promise<TaskOrder> {
  const parsed = TaskOrderSchema.safeParse(parse(await readFile(file, 'utf8')));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`its order, ${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (parsed.data.task !== job.task) throw invalid(`its order is of the task ${parsed.data.task}`);
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const invalid = (problem: string) => carrelError('JOB_INVALID', { problem });

function openAgents(context: Context, job: TaskJob, { agents }: TaskOrder): Record<string, ResolvedAgent> {
  const opened = Object.entries(agents).map(([name, agent]) => {
    admitAgent(context, job, agent);
    return [name, withOwnSecrets(context, agent)] as const;
  });
  return Object.fromEntries(opened);
}
