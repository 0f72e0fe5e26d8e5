import { formatDuration, parseDuration } from '../domain/quantity.js';
import type { WorkflowStage } from '../domain/workflow.js';
import type { Execution } from './execution.js';

/** How long an attempt may take. */
export interface AttemptTime {
  /** Milliseconds; none or less when the time of the task is over. */
  readonly leftMs: number;
  /** Whether it is what is left of the task's time, not the stage's own. */
  readonly isOfTask: boolean;
}

/** A stage that names no limit of its own. */
const STAGE_LIMIT_MS = 2 * 3_600_000;

export function findTime({ context, deadline }: Execution, { timeout }: WorkflowStage): AttemptTime {
  const ofStage = timeout === undefined ? STAGE_LIMIT_MS : parseDuration(timeout);
  const ofTask = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - context.now();
  return { leftMs: Math.min(ofStage, ofTask), isOfTask: ofTask < ofStage };
}

export const moreTime = (taskId: string, triedMs: number): string =>
  `give it more with: carrel task retry ${taskId} --timeout ${formatDuration(2 * triedMs)}`;
