import type { Command } from 'commander';
import type { App } from '../../../app.js';
import { carrelError } from '../../../domain/error/error.js';
import type { Failure } from '../../../domain/task/failure.js';
import type { Task } from '../../../domain/task/task.js';
import type { Taker } from '../../../task/record/task-owner.js';
import { answer, type CommonOptions, type Session, withApp } from '../cli-session.js';
import { DONE, exitCodes, WAITS_FOR_APPROVAL } from '../exit/exit-code.js';
import { openTaskView } from '../live/task-view.js';
import { printWarningsOnce } from '../terminal/warnings-once.js';
import { formatTaskResult } from '../views/task/task-result.js';

/** Options of `run`, `task retry` and the decisions about a stage. */
export interface WatchOptions extends CommonOptions {
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

/** Of the command line alone: an operation neither waits nor prints. */
export const addWatchOptions = (command: Command, when = ''): Command =>
  command
    .option('--detach', `${when}run in the background and print the id of the task`)
    .option('--verbose', `${when}also print the output of the agents`);

export const takerOf = ({ detach }: WatchOptions): Taker => (detach ? 'another-process' : 'this-process');

/**
 * Makes a task ready with `prepare` and runs it, here or in the background. Each warning is printed once: what narration
 * has printed is not in the answer again.
 */
export async function runAndWatchTask(
  session: Session,
  options: WatchOptions,
  prepare: (app: App, repository: string) => Promise<Task>,
): Promise<void> {
  const { output, printed } = printWarningsOnce(session.output);
  const own = { ...session, output };
  await withApp(own, options, async (app, repository) => {
    const task = await prepare(app, repository);
    await executeAndPrint(own, app, task, options, printed);
  });
}

async function executeAndPrint(
  session: Session,
  app: App,
  task: Task,
  options: WatchOptions,
  printed: ReadonlySet<string>,
): Promise<void> {
  if (options.detach && task.status === 'waiting') {
    await startDetached(app, task);
    return answer(session, options, task, ({ id }) => id);
  }
  const ended = await execute(session, app, task, options.verbose === true);
  answer(session, options, ended, value =>
    formatTaskResult(value, session.output.answerColors, app.now(), printed),
  );
  session.exitWith(exitCodeOfTask(ended, session));
}

/** Cancels a task that could not be started, so that it does not stay queued forever. */
async function startDetached(app: App, { id }: Task): Promise<void> {
  if (app.startBackground(['task', 'execute', id], { priority: 'normal' })) return;
  const { cancelTask } = await import('../../../task/cancel-task.js');
  await cancelTask(app, { id });
  throw carrelError('TASK_NOT_STARTED', { id });
}

async function execute(session: Session, app: App, task: Task, verbose: boolean): Promise<Task> {
  // Another stage waits for an approval.
  if (task.status !== 'waiting') return task;
  const { id, workflow, isolation } = task;
  session.output.narrate(`${id}: ${workflow}, isolation ${isolation.requested}`);
  const { executeTask } = await import('../../../task/execute-task.js');
  const { signal } = session.interruption;
  const view = openTaskView(session, task, { verbose });
  try {
    return await executeTask(app, { id, signal, observer: view.observer });
  } finally {
    view.close();
  }
}

/** A task that another process cancelled counts as failed: the user did not interrupt this command. */
export function exitCodeOfTask({ status, failure }: Task, { interruption }: Session): number {
  if (status === 'succeeded') return DONE;
  if (status === 'waiting-for-approval') return WAITS_FOR_APPROVAL;
  if (failure && LACKS.has(failure.kind)) return exitCodes.environment;
  return (status === 'cancelled' ? interruption.exitCode() : undefined) ?? exitCodes.failed;
}

/** Failures of the environment, which have the same exit status in every command. */
const LACKS: ReadonlySet<Failure['kind']> = new Set([
  'program-missing',
  'key-missing',
  'isolation',
  'disk-full',
]);
