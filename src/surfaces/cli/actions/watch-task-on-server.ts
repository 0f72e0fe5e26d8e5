import type { Task } from '../../../domain/task/task.js';
import { answer, type Session } from '../cli-session.js';
import type { Server } from '../remote/server-connection.js';
import { formatTaskResult } from '../views/task/task-result.js';
import { followTask } from './follow-task.js';
import { exitCodeOfTask, type WatchOptions } from './run-and-watch-task.js';

/** Follows a task that a server has accepted, and prints its result. With --detach, only prints its id. */
export async function watchTaskOnServer(
  session: Session,
  { client, url }: Server,
  task: Task,
  options: WatchOptions,
): Promise<void> {
  const printed = new Set(task.warnings);
  for (const warning of task.warnings) session.output.narrate(`warning: ${warning}`);
  if (options.detach) return answer(session, options, task, ({ id }) => id);
  const { id, workflow, isolation } = task;
  session.output.narrate(`${id}: ${workflow}, isolation ${isolation.requested}, at ${url}`);
  const ended = await followTask(session, client, task, { verbose: options.verbose === true });
  answer(session, options, ended, value =>
    formatTaskResult(value, session.output.answerColors, Date.now(), printed),
  );
  session.exitWith(exitCodeOfTask(ended, session));
}
