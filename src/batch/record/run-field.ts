import { z } from 'zod';

export const runField = z
  .string()
  .min(1)
  .describe('the batch run: its id, the beginning of it, its directory, or latest');

export const NOT_FOR_AGENTS = {
  not: 'evaluations are for people who compare agents; every tool is in the context of every agent',
} as const;
