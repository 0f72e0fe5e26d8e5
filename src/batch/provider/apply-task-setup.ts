import type { TaskDescriptor } from '../../domain/batch/task-descriptor.js';
import { carrelError } from '../../domain/error/error.js';
import { setUp } from '../environment/run-item-setup.js';
import type { TaskEnvironment } from '../isolation-provider.js';

/** Writes the setup files of a task, then runs its setup commands. TASK_SETUP_FAILED. */
export async function applySetup(
  environment: TaskEnvironment,
  task: TaskDescriptor,
  signal: AbortSignal,
): Promise<void> {
  for (const [path, content] of Object.entries(task.setupFiles ?? {}))
    await environment.writeFile(path, Buffer.from(content));
  const failure = await setUp(environment, task, signal);
  signal.throwIfAborted();
  if (failure === undefined) return;
  const { message: problem, exitCode } = failure;
  throw carrelError('TASK_SETUP_FAILED', { task: task.id, problem, exitCode });
}
