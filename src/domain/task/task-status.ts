// Separate from task.ts so that code that only needs the names does not load zod.

export const TASK_STATUSES = [
  'waiting',
  'running',
  'validating',
  'waiting-for-approval',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;
/** The status of a task. The last four are final, until a retry. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const STAGE_STATUSES = [
  'pending',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;
export type StageStatus = (typeof STAGE_STATUSES)[number];
