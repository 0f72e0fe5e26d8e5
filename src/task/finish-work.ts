import { CarrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import type { Execution } from './execution.js';
import { finishWorkspace } from './finish-workspace.js';

/**
 * What follows the end of a task: its workspace goes or stays. This changes nothing of how the task went; what can't be
 * done is a warning, and `carrel gc` sees to what a crash here leaves.
 */
export async function finishWork(execution: Execution, ended: TaskRecord): Promise<TaskRecord> {
  const { context, tell } = execution;
  const warnings = await tidyUp(execution, ended);
  context.onStep('task', 'finished');
  for (const text of warnings) tell({ stage: null, attempt: 0, stream: 'carrel', text: `warning: ${text}` });
  const record = await latest(execution, ended);
  return warnings.length === 0 ? record : ((await addWarnings(execution, record, warnings)) ?? record);
}

async function tidyUp(execution: Execution, ended: TaskRecord): Promise<readonly string[]> {
  try {
    return (await finishWorkspace(execution.context, await latest(execution, ended))).warnings;
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    return [`the workspace was kept: ${error.message} (${error.hint})`];
  }
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
