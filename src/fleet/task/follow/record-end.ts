import type { CarrelEvent, NewEvent } from '../../../domain/event.js';
import type { TaskResult } from '../../../domain/fleet/task-result.js';
import type { Run, TaskRecord } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';
import { flushTaskWebhooks } from '../../../task/log/task-webhooks.js';
import { isOnFleet } from '../../../task/record/current-task.js';
import { taskEvent } from '../../../task/record/task-event.js';

type TaskPatch = Partial<Omit<TaskRecord, 'id' | 'createdAt'>>;

/** How a run of a task ended on a fleet. */
export interface RecordedEnd {
  readonly status: TaskResult['status'];
  readonly startedAt: string;
  readonly at: string;
  readonly host: string;
  readonly patch: TaskPatch;
  /** Of its stages. */
  readonly events: readonly Pick<CarrelEvent, 'type' | 'data'>[];
}

/** Marks a submitted task as running on a host. Undefined when another process has changed it. */
export function recordStart(
  { store, now }: Pick<Context, 'store' | 'now'>,
  task: TaskRecord,
  host: string,
): Promise<TaskRecord | undefined> {
  const startedAt = new Date(now()).toISOString();
  const runs: Run[] = [...task.runs, { startedAt, endedAt: null, outcome: 'running' }];
  const fleet = task.fleet && { ...task.fleet, host };
  const patch: TaskPatch = { status: 'running', runs, fleet, endedAt: null };
  const event = taskEvent(task, 'task.started', { run: runs.length, host });
  return store.tasks.update(task.id, expect(task), patch, [event]);
}

/** Records the end once: a process that comes second gets the task as the first has left it. */
export async function recordEnd(context: Context, task: TaskRecord, end: RecordedEnd): Promise<TaskRecord> {
  const { store } = context;
  const { status, at, startedAt, host, patch } = end;
  const isStarted = task.runs.at(-1)?.outcome === 'running';
  const last: Run = { startedAt, endedAt: at, outcome: status };
  const runs = isStarted
    ? task.runs.map((run, index) =>
        index === task.runs.length - 1 ? { ...last, startedAt: run.startedAt } : run,
      )
    : [...task.runs, last];
  const fleet = task.fleet && { ...task.fleet, host };
  const ended: TaskPatch = {
    ...{ ...patch, status, runs, fleet, endedAt: status === 'waiting-for-approval' ? null : at },
    ...{ owner: null, heartbeatAt: null, cancelRequestedAt: null, workspaceKept: false },
  };
  const events: NewEvent[] = [
    ...(isStarted ? [] : [taskEvent(task, 'task.started', { run: runs.length, host })]),
    ...end.events.filter(isOfStage).map(({ type, data }) => taskEvent(task, type, data)),
    taskEvent(task, `task.${status}`, describe(patch)),
  ];
  const recorded = await store.tasks.update(task.id, expect(task), ended, events);
  if (recorded) await flushTaskWebhooks(context, task.id);
  const found = recorded ?? (await store.tasks.find(task.id)) ?? task;
  // It was marked as running meanwhile.
  return !recorded && isSameRun(found, task) && isOnFleet(found) ? recordEnd(context, found, end) : found;
}

const isSameRun = (found: TaskRecord, task: TaskRecord): boolean => found.fleet?.run === task.fleet?.run;

const expect = ({ status, runs }: TaskRecord) => ({ statuses: [status], owner: null, runs: runs.length });

const isOfStage = ({ type }: Pick<CarrelEvent, 'type'>): boolean => type.startsWith('stage.');

const describe = ({ failure }: TaskPatch): NewEvent['data'] =>
  failure ? { kind: failure.kind, message: failure.message } : {};
