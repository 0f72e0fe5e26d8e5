import { z } from '@hono/zod-openapi';

/** Sent by a browser, or by our client, when it reconnects. */
export const lastEventHeader = z.object({
  'last-event-id': z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .describe('the id of the last received message'),
});

export const readLastId = (headers: z.infer<typeof lastEventHeader>): number | undefined => {
  const id = headers['last-event-id'];
  return id === undefined ? undefined : Number(id);
};
