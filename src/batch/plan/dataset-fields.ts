import { z } from 'zod';
import { ATTEMPT_ISOLATIONS } from '../../domain/batch/attempt.js';

/** Which tasks run, and where: `eval run` and `eval check` have these. */
export const datasetFields = {
  dataset: z.string().min(1).describe('golden, or the path of a file or directory'),
  taskIds: z.array(z.string()).optional().describe('run only these tasks'),
  tags: z.array(z.string()).optional().describe('run only tasks with one of these tags'),
  difficulty: z.enum(['easy', 'medium', 'hard']).optional().describe('run only tasks of this difficulty'),
  language: z.string().optional().describe('run only tasks in this language'),
  sample: z.int().min(1).optional().describe('run a random sample of this many tasks'),
  shuffle: z.string().optional().describe('run the tasks in a random order with this seed'),
  parallelism: z.int().min(1).optional().describe('number of attempts to run in parallel (default: 1)'),
  isolation: z
    .enum(ATTEMPT_ISOLATIONS)
    .optional()
    .describe(
      'where attempts run: worktree and full, as for `carrel up`; docker: full, in a container with the image of the task; none: a plain copy (default: worktree, or none when attempts run one at a time)',
    ),
  timeoutSeconds: z.number().positive().optional().describe('time limit of an agent for tasks that set none'),
};

/** How the command line writes them. */
export const datasetOptions = {
  dataset: { value: 'name' },
  taskIds: { value: 'ids', description: 'run only these tasks, separated by commas' },
  tags: { value: 'tags' },
  difficulty: { value: 'level' },
  language: { value: 'name' },
  sample: { value: 'number' },
  shuffle: { value: 'seed' },
  parallelism: { value: 'number' },
  isolation: { value: 'mode' },
  timeoutSeconds: {
    flag: 'timeout',
    value: 'duration',
    description: 'time limit of an agent for tasks that set none, such as 20m',
  },
} as const;
