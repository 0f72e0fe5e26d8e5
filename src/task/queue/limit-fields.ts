import { z } from 'zod';
import type { TaskLimits } from '../../domain/agent/agent.js';

/** The limits of a task, in `run` and `task retry`. */
export const limitFields = {
  timeoutSeconds: z.number().positive().optional().describe('time limit for the whole task'),
  costLimitUsd: z
    .number()
    .positive()
    .optional()
    .describe('stop when the agents have cost this many US dollars'),
  tokenLimit: z.int().positive().optional().describe('stop when the agents have used this many tokens'),
};

/** How the command line writes them. */
export const limitOptions = {
  timeoutSeconds: {
    flag: 'timeout',
    value: 'duration',
    description: 'time limit for the whole task, such as 90m',
  },
  costLimitUsd: { flag: 'cost-limit', value: 'usd' },
  tokenLimit: { value: 'number' },
} as const;

interface GivenLimits {
  readonly timeoutSeconds?: number | undefined;
  readonly costLimitUsd?: number | undefined;
  readonly tokenLimit?: number | undefined;
}

export const readLimits = ({ timeoutSeconds, costLimitUsd, tokenLimit }: GivenLimits): Limits => ({
  timeoutMs: timeoutSeconds === undefined ? undefined : Math.round(timeoutSeconds * 1000),
  limits: {
    ...(costLimitUsd === undefined ? {} : { costUsd: costLimitUsd }),
    ...(tokenLimit === undefined ? {} : { tokens: tokenLimit }),
  },
});

interface Limits {
  readonly timeoutMs: number | undefined;
  readonly limits: TaskLimits;
}
