import { z } from 'zod';

/** What an agent has used, as far as it tells. */
export const UsageSchema = z.object({
  inputTokens: z.int().describe('tokens that the model read, those from a cache included'),
  outputTokens: z.int().describe('tokens that the model wrote'),
  costUsd: z.number().nullable().describe('US dollars; null when the agent does not tell'),
});
export type Usage = Readonly<z.infer<typeof UsageSchema>>;
