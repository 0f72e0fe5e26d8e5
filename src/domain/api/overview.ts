import { z } from 'zod';
import { TaskSchema } from '../task/task.js';

const AlertSchema = z.object({
  level: z.enum(['warning', 'problem']),
  message: z.string(),
  hint: z.string().nullable(),
});
export type Alert = Readonly<z.infer<typeof AlertSchema>>;

const PoolGaugeSchema = z.object({
  repository: z.string(),
  cap: z.int(),
  free: z.int(),
  leased: z.int(),
  busy: z.int().describe('being created, reset or removed'),
  quarantined: z.int(),
});

const DiskGaugeSchema = z.object({
  name: z.enum(['state', 'cache']),
  path: z.string(),
  freeBytes: z.number(),
  totalBytes: z.number(),
});

/** The content of the dashboard's first page. */
export const OverviewSchema = z
  .object({
    version: z.string(),
    at: z.iso.datetime(),
    repository: z
      .string()
      .nullable()
      .describe('the repository that the server was started in; null for none'),
    repositories: z.array(z.string()).describe('repositories with workspaces or tasks'),
    running: z.array(TaskSchema),
    waiting: z.array(TaskSchema),
    recent: z.array(TaskSchema).describe('the tasks that ended last, newest first'),
    workspaces: z.int(),
    snapshots: z.int(),
    pools: z.array(PoolGaugeSchema),
    disks: z.array(DiskGaugeSchema),
    alerts: z.array(AlertSchema),
    lastEvent: z.int().describe('sequence of the newest event, from which a stream can start'),
  })
  .meta({ id: 'overview', title: 'Current activity' });
export type Overview = Readonly<z.infer<typeof OverviewSchema>>;
