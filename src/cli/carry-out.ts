import type { App } from '../app.js';
import { carrelError } from '../domain/error.js';
import type { Failure } from '../domain/failure.js';
import type { Task } from '../domain/task.js';
import type { Taker } from '../task/task-owner.js';
import { DONE, exitCodes } from './exit-code.js';
import { openTaskView } from './live/task-view.js';
import { answer, type CommonOptions, type Session } from './session.js';
import { formatTaskResult } from './views/task-result.js';

/** Options of the two words that have a task worked on: `run` and `task retry`. */
export interface CarryOutOptions extends CommonOptions {
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

export const takerOf = ({ detach }: CarryOutOptions): Taker => (detach ? 'another-process' : 'this-process');

/** Has a task that waits worked on, here or in the background, and answers with how it went. */
export async function carryOut(
  session: Session,
  app: App,
  task: Task,
  options: CarryOutOptions,
): Promise<void> {
  if (options.detach) {
    await startDetached(app, task);
    return answer(session, options, task, ({ id }) => id);
  }
  const { id, workflow, isolation } = task;
  session.output.narrate(`${id}: ${workflow}, isolation ${isolation.requested}`);
  const ended = await execute(session, app, task, options.verbose === true);
  answer(session, options, ended, value => formatTaskResult(value, session.output.answerColors, app.now()));
  session.exitWith(exitCodeOfTask(ended, session));
}

/** What could not be started is cancelled, so that it does not wait for nobody. */
async function startDetached(app: App, { id }: Task): Promise<void> {
  if (app.startBackground(['task', 'execute', id], { priority: 'normal' })) return;
  const { cancelTask } = await import('../task/cancel-task.js');
  await cancelTask(app, { id });
  throw carrelError('TASK_NOT_STARTED', { id });
}

async function execute(session: Session, app: App, task: Task, verbose: boolean): Promise<Task> {
  const { executeTask } = await import('../task/execute-task.js');
  const { signal } = session.interruption;
  const view = openTaskView(session, task, { verbose });
  try {
    return await executeTask(app, { id: task.id, signal, observer: view.observer });
  } finally {
    view.close();
  }
}

/** Cancelled by somebody else it is as good as failed: nobody here interrupted anything. */
export function exitCodeOfTask({ status, failure }: Task, { interruption }: Session): number {
  if (status === 'succeeded') return DONE;
  if (failure && LACKS.has(failure.kind)) return exitCodes.environment;
  return (status === 'cancelled' ? interruption.exitCode() : undefined) ?? exitCodes.failed;
}

/** What this machine does not have, for which every other command has the same status. */
const LACKS: ReadonlySet<Failure['kind']> = new Set([
  'program-missing',
  'key-missing',
  'isolation',
  'disk-full',
]);
