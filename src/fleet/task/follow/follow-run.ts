import type { TaskRecord } from '../../../domain/task/task.js';
import { isActive, toTask } from '../../../domain/task/task-state.js';
import type { Context } from '../../../operations/context.js';
import type { FollowOptions } from '../../../operations/task/fleet-tasks.js';
import { attendRun } from '../../coordinator/fleet-view.js';
import { whenAvailable } from '../../coordinator/submit-round.js';
import type { RunProgress } from '../../engine/run.js';
import { isExhausted, settleRun, type TaskFleet } from './settle-run.js';

/**
 * Follows a submitted task to its end, and brings its result back. Reports what its host does, and ends the claims of
 * dead hosts. Aborting the signal, or a cancel request of another process, cancels it; its end is still waited for.
 */
export async function followRun(
  context: Context,
  fleet: TaskFleet,
  submitted: TaskRecord,
  { signal, observer }: FollowOptions,
): Promise<TaskRecord> {
  const { engine } = fleet;
  const run = submitted.fleet?.run ?? '';
  const cancel = createCancel(context, fleet, run);
  const narrateLeft = createLeftNarrator(context);
  let current = submitted;
  const look = async (progress: RunProgress): Promise<void> => {
    narrateLeft(progress);
    const found = await context.store.tasks.find(current.id);
    const isOver = found && (found.cancelRequestedAt !== null || !isActive(found.status));
    if (isOver || isExhausted(progress)) cancel();
    if (found && progress.claims.length > 0 && progress.claims[0]?.host !== found.fleet?.host)
      current = (await settleRun(context, fleet, found)).task;
    observer.onChange?.(toTask(current));
    reportActivity(progress, observer);
  };
  const endAttending = attendRun(engine, run, {
    onLook: progress => void look(progress).catch(() => undefined),
    onDead: hosts => context.narrate(`${hosts.join(', ')} stopped answering; another worker does the task`),
  });
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for await (const _ of engine.watch(run, {})) break;
  } finally {
    signal?.removeEventListener('abort', cancel);
    await endAttending();
  }
  const { task, lines } = await whenAvailable(async () => {
    const found = (await context.store.tasks.find(submitted.id)) ?? submitted;
    return settleRun(context, fleet, found);
  }, NEVER);
  for (const line of lines) observer.onLine?.(line);
  observer.onChange?.(toTask(task));
  return task;
}

/** Its result is waited for after a cancellation, too. */
const NEVER = new AbortController().signal;

/** Once: the fleet stops the agents of the task, and what they did comes back. */
function createCancel({ narrate }: Pick<Context, 'narrate'>, { engine }: TaskFleet, run: string): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    engine.cancel(run, { claimed: 'stop' }).catch(error => {
      isAsked = false;
      narrate(`warning: cannot cancel ${run} yet: ${error instanceof Error ? error.message : error}`);
    });
  };
}

function createLeftNarrator({ narrate }: Pick<Context, 'narrate'>): (progress: RunProgress) => void {
  const told = new Set<string>();
  return ({ left }) => {
    for (const { reason } of left) {
      if (!told.has(reason)) narrate(`a worker leaves the task to others: ${reason}`);
      told.add(reason);
    }
  };
}

/** A worker reports `stage: activity`. */
function reportActivity({ claims }: RunProgress, observer: FollowOptions['observer']): void {
  const text = claims[0]?.report?.text ?? '';
  const [stage = '', ...rest] = text.split(': ');
  if (rest.length > 0 && rest.join('') !== '') observer.onActivity?.(stage, rest.join(': '));
}
