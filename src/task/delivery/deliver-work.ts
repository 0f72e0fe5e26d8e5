import { CarrelError, isCarrelError } from '../../domain/error/error.js';
import { DONE, type Ending, type Execution, failed } from '../execution.js';
import { type LandTaskInput, landTask } from './land-task.js';
import { publishTask } from './publish-task.js';

/**
 * Publishes and lands validated work, when requested: the task succeeds only after that, and
 * a resume after a crash does what is missing.
 */
export async function deliverWork(execution: Execution): Promise<Ending> {
  const { context, task, signal } = execution;
  const { id, plan } = task.current();
  const order = { id, signal, isLastPart: true };
  await task.requireOurs();
  try {
    const { published, landed } = await findDelivered(execution);
    if (plan.publish && !published) await publishTask(context, { ...order, ...plan.publish });
    if (plan.land && !landed)
      await landOrConfirm(execution, { ...order, into: plan.land.into ?? undefined, keep: true });
    context.onStep('task', 'delivered');
    return DONE;
  } catch (error) {
    if (!(error instanceof CarrelError) || error.kind === 'internal') throw error;
    const { message, hint } = error;
    return failed({ kind: 'land-failed', stage: null, message, hint, output: null });
  }
}

/** An earlier run may have been killed after it had landed the work: then there is nothing left to land. */
async function landOrConfirm(execution: Execution, order: LandTaskInput): Promise<void> {
  try {
    const { warnings } = await landTask(execution.context, order);
    await execution.task.change(({ warnings: before }) => ({ warnings: [...before, ...warnings] }));
  } catch (error) {
    const isLanded = isCarrelError(error, 'LAND_NOTHING') && (await findDelivered(execution)).landed;
    if (!isLanded) throw error;
  }
}

/** Read from the store: publishing and landing record themselves. */
async function findDelivered({ context, task }: Execution) {
  const record = (await context.store.tasks.find(task.current().id)) ?? task.current();
  const { published, landed, plan } = record;
  const isWhole = published !== null && (!plan.publish?.pullRequest || published.pullRequest !== null);
  return { published: isWhole, landed: landed !== null };
}
