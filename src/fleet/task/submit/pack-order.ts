import { carrelError } from '../../../domain/error/error.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';
import { type TaskOrder, TaskOrderSchema } from '../../../domain/fleet/task-order.js';
import type { TaskPlan, TaskRecord } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';
import type { BlobOptions, BlobStore } from '../../artifacts/blob-store.js';
import { uploadBytes } from '../../artifacts/upload-blob.js';
import { describeProgram, requireNoSecrets } from '../../travel/agent/describe-agent.js';
import { plannedBranch } from '../follow/import-branches.js';
import { packOutputs } from '../travel/outputs.js';

type OrderContext = Pick<Context, 'environment' | 'redactor' | 'places'>;

/** AGENT_CANNOT_TRAVEL, TASK_CANNOT_TRAVEL when a secret would. */
export function requireTravels(context: OrderContext, plan: TaskPlan): void {
  const { workflow, validation } = plan;
  describeAgents(context, plan);
  if (isPlain(context, [workflow, validation])) return;
  const reason = `the workflow ${workflow.name} contains a secret`;
  throw carrelError('TASK_CANNOT_TRAVEL', {
    reason,
    advice: 'read the secret from a variable of the worker',
  });
}

const isPlain = ({ redactor }: OrderContext, value: unknown): boolean =>
  JSON.stringify(redactor.within(value)) === JSON.stringify(value);

/** Stores what is to be done, and returns its hash. */
export async function packOrder(
  context: OrderContext,
  store: BlobStore,
  task: TaskRecord,
  options?: BlobOptions,
): Promise<string> {
  requireTravels(context, task.plan);
  const { stages, outputs } = await packOutputs(context, store, task, options);
  const { plan, workspaceName } = task;
  const order: TaskOrder = {
    ...{ task: task.id, description: task.description, agent: task.agent, head: task.head },
    ...(task.issue && { issue: task.issue }),
    name: workspaceName ?? task.id,
    branch: plannedBranch(task),
    workflow: plan.workflow,
    agents: describeAgents(context, plan),
    validation: [...plan.validation],
    ...{ limits: plan.limits, timeoutMs: plan.timeoutMs, retryDelayMs: plan.retryDelayMs },
    prefersContainer: plan.prefersContainer ?? false,
    ...{ stages, usage: task.usage, outputs },
  };
  return uploadBytes(store, Buffer.from(canonicalJson(TaskOrderSchema.parse(order))), options);
}

function describeAgents(context: OrderContext, { agents }: TaskPlan): TaskOrder['agents'] {
  const described = Object.entries(agents).map(([name, agent]) => {
    const description = describeProgram(context, agent);
    requireNoSecrets(context, agent, description);
    return [name, description] as const;
  });
  return Object.fromEntries(described);
}
