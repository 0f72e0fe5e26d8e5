import type { Task } from '../domain/task.js';
import { type CarryOutOptions, exitCodeOfTask } from './carry-out.js';
import { followTask } from './follow-task.js';
import type { Server } from './server-connection.js';
import { answer, type Session } from './session.js';
import { formatTaskResult } from './views/task-result.js';

/** Follows a task that a server has accepted, unless that is not wanted, and answers with how it went. */
export async function carryOutOnServer(
  session: Session,
  { client, url }: Server,
  task: Task,
  options: CarryOutOptions,
): Promise<void> {
  for (const warning of task.warnings) session.output.narrate(`warning: ${warning}`);
  if (options.detach) return answer(session, options, task, ({ id }) => id);
  const { id, workflow, isolation } = task;
  session.output.narrate(`${id}: ${workflow}, isolation ${isolation.requested}, at ${url}`);
  const ended = await followTask(session, client, task, { verbose: options.verbose === true });
  answer(session, options, ended, value => formatTaskResult(value, session.output.answerColors, Date.now()));
  session.exitWith(exitCodeOfTask(ended, session));
}
