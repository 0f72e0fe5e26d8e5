import { CarrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { Execution } from '../execution.js';
import { removeTaskWorkspaces } from './remove-task-workspaces.js';

/**
 * Runs after the end of a task: removes or keeps its workspace. This does not change the task's result; what cannot be
 * done is a warning, and `carrel gc` cleans up after a crash here.
 */
export async function cleanUpTask(execution: Execution, ended: TaskRecord): Promise<TaskRecord> {
  const { context, tell } = execution;
  const warnings = await removeOrExplain(execution, ended);
  context.onStep('task', 'finished');
  for (const text of warnings) tell({ stage: null, attempt: 0, stream: 'carrel', text: `warning: ${text}` });
  const record = await latest(execution, ended);
  return warnings.length === 0 ? record : ((await addWarnings(execution, record, warnings)) ?? record);
}

async function removeOrExplain(execution: Execution, ended: TaskRecord): Promise<readonly string[]> {
  try {
    return (await removeTaskWorkspaces(execution.context, await latest(execution, ended))).warnings;
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
