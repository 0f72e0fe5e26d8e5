import { z } from 'zod';

const EventTypeSchema = z.enum([
  'workspace.creating',
  'workspace.ready',
  'workspace.create-failed',
  'workspace.removing',
  'workspace.removal-undone',
  'workspace.removed',
  'workspace.leased',
  'workspace.lease-returned',
  'workspace.renamed',
  'workspace.network-changed',
  'workspace.resetting',
  'workspace.reset',
  'workspace.reset-undone',
  'snapshot.taking',
  'snapshot.taken',
  'snapshot.failed',
  'snapshot.expired',
  'workspace.rebuilt',
  'snapshot.rebuilt',
  'workspace.landed',
  'workspace.command-started',
  'workspace.command-ended',
  'trust.granted',
  'trust.revoked',
  'recovery.done',
  'clock.trusted',
  'slot.created',
  'slot.leased',
  'slot.released',
  'slot.quarantined',
  'slot.adopted',
  'slot.destroyed',
  'task.created',
  'task.started',
  'task.workspace-ready',
  'task.validating',
  'task.waiting-for-approval',
  'task.succeeded',
  'task.failed',
  'task.cancel-requested',
  'task.cancelled',
  'task.interrupted',
  'task.retried',
  'task.workspace-removed',
  'task.landed',
  'task.published',
  'task.warning',
  'stage.started',
  'stage.attempt-started',
  'stage.attempt-failed',
  'stage.succeeded',
  'stage.failed',
  'stage.cancelled',
  'stage.interrupted',
  'stage.approved',
  'stage.rejected',
  'stage.joined',
]);
export type EventType = z.infer<typeof EventTypeSchema>;

/** Events of batches, which only webhooks get: batches have their own record. */
export const BATCH_EVENTS = ['batch.started', 'batch.finished', 'batch.stopped'] as const;

/** What a webhook may name: events of tasks, stages and batches, and groups of them. */
export const WEBHOOK_EVENTS: readonly string[] = [
  '*',
  'task.*',
  'stage.*',
  'batch.*',
  ...EventTypeSchema.options.filter(type => /^(task|stage)\./.test(type)),
  ...BATCH_EVENTS,
];

/** An event. Appended in the transaction that made it true, in order of `sequence`. */
export const EventSchema = z
  .object({
    sequence: z.int(),
    at: z.iso.datetime(),
    type: EventTypeSchema,
    repositoryId: z.string().nullable(),
    workspaceId: z.string().nullable(),
    taskId: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'event', title: 'Event' });
/** Something that happened to a task or a workspace. `type` is the kind of event. */
export type CarrelEvent = z.infer<typeof EventSchema>;
/** As passed to the store. Most events belong to no task and leave `taskId` out. */
export type NewEvent = Omit<CarrelEvent, 'sequence' | 'at' | 'taskId'> & {
  readonly taskId?: string | undefined;
};
