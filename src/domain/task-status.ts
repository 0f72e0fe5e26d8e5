// Apart from task.ts so that whoever only needs the words does not load zod.

export const TASK_STATUSES = [
  'waiting',
  'running',
  'validating',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;
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
