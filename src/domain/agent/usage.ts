import { z } from 'zod';

/** What an agent has used, as far as it reports it. */
export const UsageSchema = z.object({
  inputTokens: z.int().describe('tokens that the model read, including cached ones'),
  outputTokens: z.int().describe('tokens that the model wrote'),
  costUsd: z.number().nullable().describe('US dollars; null when the agent does not report it'),
});
/** Tokens and cost of agents, as far as they report them. */
export type Usage = Readonly<z.infer<typeof UsageSchema>>;
