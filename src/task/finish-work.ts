import { CarrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import type { Execution } from './execution.js';
import { finishWorkspace } from './finish-workspace.js';
import { landTask } from './land-task.js';
import { publishTask } from './publish-task.js';

/**
 * What follows the end of a task: landing and publishing when that was asked for, then its workspace goes or stays. None
 * of it changes how the task went; what can't be done is a warning with the next command to type.
 */
export async function finishWork(execution: Execution, ended: TaskRecord): Promise<TaskRecord> {
  const { context } = execution;
  const { plan, id, status } = ended;
  const warnings: string[] = [];
  const attempt = async (what: string, action: () => Promise<unknown>) => {
    await action().catch(error => {
      if (!(error instanceof CarrelError)) throw error;
      warnings.push(`${what}: ${error.message} (${error.hint})`);
    });
  };
  if (status === 'succeeded' && plan.publish)
    await attempt('not published', () => publishTask(context, { id, ...plan.publish }));
  if (status === 'succeeded' && plan.land)
    await attempt('not landed', () =>
      landTask(context, { id, into: plan.land?.into ?? undefined, keep: true }),
    );
  await attempt('the workspace was kept', async () => {
    const outcome = await finishWorkspace(context, await latest(execution, ended));
    warnings.push(...outcome.warnings);
  });
  context.onStep('task', 'finished');
  const record = await latest(execution, ended);
  for (const text of warnings)
    execution.tell({ stage: null, attempt: 0, stream: 'carrel', text: `warning: ${text}` });
  return warnings.length === 0 ? record : ((await addWarnings(execution, record, warnings)) ?? record);
}

const latest = async ({ context }: Execution, { id }: TaskRecord): Promise<TaskRecord> =>
  (await context.store.tasks.find(id)) as TaskRecord;

const addWarnings = ({ context }: Execution, record: TaskRecord, warnings: readonly string[]) =>
  context.store.tasks.update(
    record.id,
    { statuses: [record.status], owner: null },
    { warnings: [...record.warnings, ...warnings] },
    [],
  );
