import { z } from '@hono/zod-openapi';

export const preferHeader = z.object({
  prefer: z
    .string()
    .optional()
    .describe('`wait=N`: respond when the story has finished, or after N seconds (at most 600)'),
});

const LONGEST_WAIT_SECONDS = 600;

/** Seconds of `Prefer: wait=N` (RFC 7240); undefined without it. */
export function readWait({ prefer = '' }: z.infer<typeof preferHeader>): number | undefined {
  const preferences = prefer.split(',').map(each => /^\s*wait\s*=\s*"?(\d+)"?\s*(;|$)/i.exec(each)?.[1]);
  const wait = preferences.find(each => each !== undefined);
  return wait === undefined ? undefined : Math.min(Number(wait), LONGEST_WAIT_SECONDS);
}
