import { z } from '@hono/zod-openapi';

/** What a browser, or our own client, sends when it connects again. */
export const lastEventHeader = z.object({
  'last-event-id': z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .describe('the id of the last message that was seen'),
});

export const readLastId = (headers: z.infer<typeof lastEventHeader>): number | undefined => {
  const id = headers['last-event-id'];
  return id === undefined ? undefined : Number(id);
};
