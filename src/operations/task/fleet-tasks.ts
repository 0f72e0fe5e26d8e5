import type { PlannedFleet, TaskPlan, TaskRecord } from '../../domain/task/task.js';
import type { TaskObserver } from '../../domain/task/task-observer.js';

/**
 * Tasks that run on a fleet. Injected, because only `fleet` knows fleets. After its submission such a task has no owner
 * here: any process may bring its result back, and exactly one of them records it.
 */
export interface FleetTasks {
  /** An address that means the same in every directory, and its name without a password. FLEET_ADDRESS_INVALID. */
  locate(address: string): { readonly address: string; readonly name: string };
  /**
   * AGENT_CANNOT_TRAVEL, TASK_CANNOT_TRAVEL when something of the plan cannot, before anything is sent;
   * INVALID_INPUT for labels; FLEET_NOT_INITIALIZED, FLEET_UNAVAILABLE and others when there is no such fleet.
   */
  requireTravels(plan: TaskPlan, fleet: PlannedFleet): Promise<void>;
  /**
   * Submits a waiting task unless that was done, follows it to its end, and returns it in its final state. Aborting the
   * signal cancels it. FLEET_UNAVAILABLE and others, before it is submitted.
   */
  execute(task: TaskRecord, options: FollowOptions): Promise<TaskRecord>;
  /** The task with what the fleet has recorded. Warns, and returns it unchanged, when the fleet does not answer. */
  refresh(task: TaskRecord): Promise<TaskRecord>;
  /** Cancels a submitted task, and returns it when it has ended or the time is up. */
  cancel(task: TaskRecord, options: CancelOptions): Promise<TaskRecord>;
}

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  readonly observer: TaskObserver;
}

export interface CancelOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}
