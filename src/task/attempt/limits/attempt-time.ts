import { parseDuration } from '../../../domain/quantity/quantity.js';
import { formatDuration } from '../../../domain/text/format-quantity.js';
import type { WorkflowStage } from '../../../domain/workflow/workflow.js';
import type { Execution } from '../../execution.js';

/** How long an attempt may take. */
export interface AttemptTime {
  /** Milliseconds; zero or less when the time of the task is up. */
  readonly leftMs: number;
  /** Whether the task's remaining time is the limit, not the stage's own. */
  readonly isOfTask: boolean;
}

/** Default for a stage without a time limit. */
const STAGE_LIMIT_MS = 2 * 3_600_000;

export function findTime({ context, deadline }: Execution, { timeout }: WorkflowStage): AttemptTime {
  const ofStage = timeout === undefined ? STAGE_LIMIT_MS : parseDuration(timeout);
  const ofTask = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - context.now();
  return { leftMs: Math.min(ofStage, ofTask), isOfTask: ofTask < ofStage };
}

export const moreTime = (taskId: string, triedMs: number): string =>
  `allow more time with: carrel task retry ${taskId} --timeout ${formatDuration(2 * triedMs)}`;
