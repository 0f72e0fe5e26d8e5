import { z } from 'zod';

const SlotReportSchema = z.object({
  id: z.string().describe('slot_ and 16 characters, sorted by time'),
  kind: z.enum(['checkout', 'overlay']).describe('how its files are created'),
  status: z.enum(['creating', 'free', 'leased', 'resetting', 'adopting', 'quarantined', 'destroying']),
  commit: z.string().describe('commit of its files, or the start of the lease'),
  path: z.string().describe('absolute path of its files'),
  lease: z
    .object({ id: z.string(), holder: z.string(), since: z.iso.datetime() })
    .nullable()
    .describe('null unless it is leased'),
  owner: z
    .object({ pid: z.int(), state: z.enum(['alive', 'dead', 'unknown']) })
    .nullable()
    .describe('the process that works on it; if it dies, the next user of the pool cleans up'),
  caches: z.array(z.string()).describe('cache directories in it'),
  reason: z.string().nullable().describe('why it is in quarantine'),
  sizeBytes: z.int().describe('bytes on disk that only it uses'),
  createdAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
});
export type SlotReport = z.infer<typeof SlotReportSchema>;

const RemainsReportSchema = z.object({
  id: z.string().describe('id of the snapshot that they become if they hold work'),
  of: z.string().describe('the slot or workspace that they belonged to'),
  holds: z
    .enum(['work', 'nothing', 'rubbish'])
    .describe('work: captured before it is deleted; nothing: checked once more; rubbish: deleted at once'),
  directory: z.string(),
  sizeBytes: z.int(),
  createdAt: z.iso.datetime(),
});
export type RemainsReport = z.infer<typeof RemainsReportSchema>;

export const PoolReportSchema = z
  .object({
    repository: z.string(),
    cap: z.int().describe('maximum number of slots, without those in quarantine: pool.size'),
    slots: z.array(SlotReportSchema).describe('oldest first'),
    damaged: z.array(z.string()).describe('slots whose record cannot be read; never leased'),
    remains: z
      .array(RemainsReportSchema)
      .describe('files moved aside that still have to be captured or deleted'),
  })
  .meta({ id: 'pool', title: 'The warm workspaces of a repository' });
/** The warm workspaces of a repository, slot by slot. */
export type PoolReport = z.infer<typeof PoolReportSchema>;

export const PoolWarmingSchema = z
  .object({
    repository: z.string(),
    commit: z.string(),
    wanted: z.int(),
    free: z.int().describe('slots that are ready at the commit now'),
    cap: z.int(),
  })
  .meta({ id: 'pool-warming', title: 'What `carrel pool warm` did' });
/** How many slots are free after warming. */
export type PoolWarming = z.infer<typeof PoolWarmingSchema>;

export const PoolDrainingSchema = z
  .object({
    repository: z.string(),
    destroyed: z.int(),
    busy: z.array(SlotReportSchema).describe('slots in use, which were not changed'),
  })
  .meta({ id: 'pool-draining', title: 'What `carrel pool drain` did' });
/** What draining the pool did: slots destroyed, and slots in use that were not changed. */
export type PoolDraining = z.infer<typeof PoolDrainingSchema>;
