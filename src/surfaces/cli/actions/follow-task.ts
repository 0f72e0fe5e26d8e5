import type { Task } from '../../../domain/task/task.js';
import type { TaskObserver } from '../../../domain/task/task-observer.js';
import type { CarrelClient } from '../../client/carrel-client.js';
import { ProblemError, UnreachableError } from '../../client/problem-error.js';
import { untilAnswered } from '../../client/until-answered.js';
import type { Session } from '../cli-session.js';
import { openTaskView } from '../live/task-view.js';

/**
 * Follows a task on a server to its end, in the same view as a local task, even across a restart of the server. An
 * interruption cancels the task and then waits for its end.
 */
export async function followTask(
  session: Session,
  client: CarrelClient,
  task: Task,
  { verbose }: { readonly verbose: boolean },
): Promise<Task> {
  const { id } = task;
  const view = openTaskView(session, task, { verbose });
  const left = new AbortController();
  const { signal } = left;
  try {
    const ended = Promise.all([
      tellLines(client, task, view.observer, signal),
      tellChanges(client, id, view.observer, signal),
    ]);
    await Promise.race([ended, cancelWhenInterrupted(session, client, id, ended)]);
    return await untilAnswered(() => client.tasks.show(id));
  } finally {
    left.abort();
    view.close();
  }
}

/** For a retried task, only new lines by the server's clock. */
async function tellLines(
  client: CarrelClient,
  { id, runs }: Task,
  { onLine, onActivity }: TaskObserver,
  signal: AbortSignal,
): Promise<void> {
  const since = runs.at(-1)?.endedAt ?? '';
  for await (const line of client.tasks.log(id, { follow: true, signal })) {
    if (line.at <= since) continue;
    onLine?.(line);
    if (line.stream === 'activity' && line.stage !== null) onActivity?.(line.stage, line.text);
  }
}

async function tellChanges(
  client: CarrelClient,
  id: string,
  { onChange }: TaskObserver,
  signal: AbortSignal,
): Promise<void> {
  for await (const _ of client.events({ taskId: id, signal })) {
    const changed = await client.tasks.show(id, { signal }).catch(forgiveSilence);
    if (changed) onChange?.(changed);
  }
}

/** Ignores a missing answer and a busy server: the next change brings the current task. */
function forgiveSilence(error: unknown): undefined {
  const isBusy = error instanceof ProblemError && [429, 503].includes(error.status);
  if (!isBusy && !(error instanceof UnreachableError)) throw error;
}

/** Settles only when cancelling fails or when the task stops. */
function cancelWhenInterrupted(
  { interruption }: Session,
  client: CarrelClient,
  id: string,
  ended: Promise<unknown>,
): Promise<unknown> {
  const { signal } = interruption;
  return new Promise((resolve, reject) => {
    const cancel = () => void cancelTask(client, id).then(() => ended.then(resolve, reject), reject);
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const stopListening = () => signal.removeEventListener('abort', cancel);
    ended.then(stopListening, stopListening);
  });
}

/** A task that has stopped in the meantime is a conflict, which is fine. */
async function cancelTask(client: CarrelClient, id: string): Promise<void> {
  try {
    await untilAnswered(() => client.tasks.cancel(id));
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'TASK_BUSY')) throw error;
  }
}
