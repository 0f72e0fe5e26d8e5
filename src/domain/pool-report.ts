import { z } from 'zod';

const SlotReportSchema = z.object({
  id: z.string().describe('slot_ and 16 characters, sorted by time'),
  kind: z.enum(['checkout', 'overlay']).describe('how its files come to be'),
  status: z.enum(['creating', 'free', 'leased', 'resetting', 'adopting', 'quarantined', 'destroying']),
  commit: z.string().describe('where its files stand, or where the lease began'),
  path: z.string().describe('absolute path of its files'),
  lease: z
    .object({ id: z.string(), holder: z.string(), since: z.iso.datetime() })
    .nullable()
    .describe('null unless somebody has it'),
  owner: z
    .object({ pid: z.int(), state: z.enum(['alive', 'dead', 'unknown']) })
    .nullable()
    .describe('the process at work on it; a dead one is settled by whoever uses the pool next'),
  caches: z.array(z.string()).describe('kept directories that lie in it'),
  reason: z.string().nullable().describe('why it is in quarantine'),
  sizeBytes: z.int().describe('bytes on disk that are its own'),
  createdAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
});
export type SlotReport = z.infer<typeof SlotReportSchema>;

const RemainsReportSchema = z.object({
  id: z.string().describe('of the snapshot that they become when they hold work'),
  of: z.string().describe('the slot or workspace that they are of'),
  holds: z
    .enum(['work', 'nothing', 'rubbish'])
    .describe('work is captured before it is deleted, nothing is looked at once more, rubbish is not'),
  directory: z.string(),
  sizeBytes: z.int(),
  createdAt: z.iso.datetime(),
});
export type RemainsReport = z.infer<typeof RemainsReportSchema>;

export const PoolReportSchema = z
  .object({
    repository: z.string(),
    cap: z.int().describe('most slots at once, without those in quarantine: pool.size'),
    slots: z.array(SlotReportSchema).describe('oldest first'),
    damaged: z.array(z.string()).describe('slots whose record can not be read; never handed out'),
    remains: z
      .array(RemainsReportSchema)
      .describe('files moved aside that are yet to be captured or deleted'),
  })
  .meta({ id: 'pool', title: 'The warm workspaces of a repository' });
export type PoolReport = z.infer<typeof PoolReportSchema>;

export const PoolWarmingSchema = z
  .object({
    repository: z.string(),
    commit: z.string(),
    wanted: z.int(),
    free: z.int().describe('slots that stand ready at the commit now'),
    cap: z.int(),
  })
  .meta({ id: 'pool-warming', title: 'What `carrel pool warm` did' });
export type PoolWarming = z.infer<typeof PoolWarmingSchema>;

export const PoolDrainingSchema = z
  .object({
    repository: z.string(),
    destroyed: z.int(),
    busy: z.array(SlotReportSchema).describe('slots that somebody uses, which were left alone'),
  })
  .meta({ id: 'pool-draining', title: 'What `carrel pool drain` did' });
export type PoolDraining = z.infer<typeof PoolDrainingSchema>;
