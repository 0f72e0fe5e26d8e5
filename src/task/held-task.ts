import { carrelError } from '../domain/error.js';
import type { NewEvent } from '../domain/event.js';
import type { Stage, TaskRecord } from '../domain/task.js';
import { canMoveStage, canMoveTask, toTask } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import type { TaskObserver } from './observer.js';

type TaskPatch = Partial<Omit<TaskRecord, 'id' | 'repositoryId' | 'createdAt'>>;
type StagePatch = Partial<Omit<Stage, 'name' | 'agent'>>;
export type TaskEvent = Pick<NewEvent, 'type'> & { readonly data?: NewEvent['data'] };

/** A task that this process owns. Changes go one after the other, each by compare-and-swap, and are told to whoever looks on. */
export interface HeldTask {
  current(): TaskRecord;
  stage(name: string): Stage;
  /** TASK_BUSY when the task is no longer ours: then nothing may be done for it any more. */
  change(patch: TaskPatch | ((task: TaskRecord) => TaskPatch), ...events: TaskEvent[]): Promise<TaskRecord>;
  changeStage(
    name: string,
    patch: StagePatch | ((stage: Stage) => StagePatch),
    ...events: TaskEvent[]
  ): Promise<Stage>;
}

export function holdTask(context: Context, record: TaskRecord, observer: TaskObserver): HeldTask {
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
  context: Context,
  current: TaskRecord,
  patch: TaskPatch,
  events: readonly TaskEvent[],
): Promise<TaskRecord> {
  const expected = { statuses: [current.status], owner: current.owner };
  const told = events.map(({ type, data = {} }) => ({
    type,
    repositoryId: current.repositoryId,
    workspaceId: patch.workspaceId ?? current.workspaceId,
    taskId: current.id,
    data,
  }));
  const saved = await context.store.tasks.update(current.id, expected, patch, told);
  if (saved) return saved;
  const found = await context.store.tasks.find(current.id);
  throw carrelError('TASK_BUSY', {
    id: current.id,
    status: found ? `${found.status} by another process` : 'forgotten',
    wanted: 'gone on with here',
  });
}

/** A move that the machines of domain/task-state.ts do not know is a mistake of ours, and must not reach the store. */
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
