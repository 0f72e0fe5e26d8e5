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
  'snapshot.taking',
  'snapshot.taken',
  'snapshot.failed',
  'snapshot.expired',
  'workspace.landed',
  'workspace.command-started',
  'workspace.command-ended',
  'trust.granted',
  'trust.revoked',
  'recovery.done',
  'slot.created',
  'slot.leased',
  'slot.released',
  'slot.quarantined',
  'slot.adopted',
  'slot.destroyed',
]);
export type EventType = z.infer<typeof EventTypeSchema>;

/** One thing that happened. Appended in the transaction that made it true, in order of `sequence`. */
export const EventSchema = z
  .object({
    sequence: z.int(),
    at: z.iso.datetime(),
    type: EventTypeSchema,
    repositoryId: z.string().nullable(),
    workspaceId: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'event', title: 'Event' });
export type CarrelEvent = z.infer<typeof EventSchema>;
export type NewEvent = Omit<CarrelEvent, 'sequence' | 'at'>;
