import { carrelError } from '../../domain/error/error.js';
import type { NewEvent } from '../../domain/event.js';
import { isSameProcess } from '../../domain/process-identity.js';
import type { Stage, TaskRecord } from '../../domain/task/task.js';
import type { TaskObserver } from '../../domain/task/task-observer.js';
import { canMoveStage, canMoveTask, toTask } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';

type TaskPatch = Partial<Omit<TaskRecord, 'id' | 'repositoryId' | 'createdAt'>>;
type StagePatch = Partial<Omit<Stage, 'name' | 'agent'>>;
export type TaskEvent = Pick<NewEvent, 'type'> & { readonly data?: NewEvent['data'] };

/** A task that this process owns. Changes are applied in sequence, each by compare-and-swap, and are reported to the observer. */
export interface HeldTask {
  current(): TaskRecord;
  stage(name: string): Stage;
  /** Call before anything that cannot be undone. TASK_BUSY when the task is no longer ours. */
  requireOurs(): Promise<void>;
  /** TASK_BUSY when the task is no longer ours: then this process must not work on it. */
  change(patch: TaskPatch | ((task: TaskRecord) => TaskPatch), ...events: TaskEvent[]): Promise<TaskRecord>;
  changeStage(
    name: string,
    patch: StagePatch | ((stage: Stage) => StagePatch),
    ...events: TaskEvent[]
  ): Promise<Stage>;
}

export function holdTask(
  context: Pick<Context, 'store'>,
  record: TaskRecord,
  observer: TaskObserver,
): HeldTask {
  let current = record;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const next = last.then(action);
    last = next.catch(() => undefined);
    return next;
  };
  const change: HeldTask['change'] = (patch, ...events) =>
    inTurn(async () => {
      const wanted = typeof patch === 'function' ? patch(current) : patch;
      requireMoves(current, wanted);
      current = await save(context, current, wanted, events);
      observer.onChange?.(toTask(current));
      return current;
    });
  const stage = (name: string): Stage => requireStage(current, name);
  return {
    current: () => current,
    stage,
    requireOurs: async () => {
      const found = await context.store.tasks.find(current.id);
      if (!isStillHeld(current, found)) throw lost(current, found);
    },
    change,
    changeStage: async (name, patch, ...events) => {
      await change(
        task => ({
          stages: task.stages.map(each =>
            each.name === name ? { ...each, ...(typeof patch === 'function' ? patch(each) : patch) } : each,
          ),
        }),
        ...events.map(event => ({ ...event, data: { stage: name, ...event.data } })),
      );
      return stage(name);
    },
  };
}

async function save(
  context: Pick<Context, 'store'>,
  current: TaskRecord,
  patch: TaskPatch,
  events: readonly TaskEvent[],
): Promise<TaskRecord> {
  const expected = { statuses: [current.status], owner: current.owner, runs: current.runs.length };
  const described = events.map(({ type, data = {} }) => ({
    type,
    repositoryId: current.repositoryId,
    workspaceId: patch.workspaceId ?? current.workspaceId,
    taskId: current.id,
    data,
  }));
  const saved = await context.store.tasks.update(current.id, expected, patch, described);
  if (saved) return saved;
  throw lost(current, await context.store.tasks.find(current.id));
}

/** Changes that other processes may make, such as a cancel request, do not mean that the task is lost. */
function isStillHeld({ owner, runs }: TaskRecord, found: TaskRecord | undefined): boolean {
  if (!found?.owner || !owner) return false;
  return isSameProcess(found.owner, owner) && found.runs.length === runs.length;
}

/** Happens when this process was suspended, or the machine slept, so long that another process considered the task abandoned. */
const lost = ({ id }: TaskRecord, found: TaskRecord | undefined): Error =>
  carrelError('TASK_BUSY', {
    id,
    status: found ? `${found.status} by another process` : 'forgotten',
    wanted: 'continued here',
  });

/** A transition that domain/task/task-state.ts does not allow is a bug, and must not reach the store. */
function requireMoves(current: TaskRecord, patch: TaskPatch): void {
  if (patch.status && patch.status !== current.status && !canMoveTask(current.status, patch.status))
    throw impossible(`task ${current.id}`, current.status, patch.status);
  for (const stage of patch.stages ?? []) {
    const before = requireStage(current, stage.name).status;
    if (before !== stage.status && !canMoveStage(before, stage.status))
      throw impossible(`stage ${stage.name}`, before, stage.status);
  }
}

const impossible = (what: string, from: string, to: string): Error =>
  carrelError('INTERNAL', { problem: `${what} can't go from ${from} to ${to}` });

function requireStage(task: TaskRecord, name: string): Stage {
  const stage = task.stages.find(each => each.name === name);
  if (!stage) throw carrelError('INTERNAL', { problem: `task ${task.id} has no stage ${name}` });
  return stage;
}
