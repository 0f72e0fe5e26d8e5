import { z } from 'zod';
import { ATTEMPT_ISOLATIONS, AttemptSchema } from './attempt.js';

const TaskLabelsSchema = z.object({
  language: z.string().nullable(),
  difficulty: z.string().nullable(),
  tags: z.array(z.string()),
});
export type TaskLabels = Readonly<z.infer<typeof TaskLabelsSchema>>;

/** The options of a run, as recorded in run.json: all that `eval resume` needs. */
export const BatchPlanSchema = z.object({
  id: z.string().describe('run_ and 16 characters, sorted by time'),
  dataset: z.string().describe('its name or path'),
  taskIds: z.array(z.string()).describe('in the order in which they start'),
  labels: z.record(z.string(), TaskLabelsSchema).describe('labels of the tasks by id; reports group by them'),
  skipped: z
    .array(z.object({ id: z.string(), reason: z.string() }))
    .describe('items that cannot run, and why'),
  agent: z.string(),
  model: z.string().nullable(),
  isolation: z.enum(ATTEMPT_ISOLATIONS),
  parallelism: z.int(),
  attemptsPerTask: z.int(),
  costLimitUsd: z.number().nullable(),
  timeoutMs: z.int().nullable().describe('time limit of an agent, unless its task has its own'),
  gate: z.number().nullable(),
  seed: z.string().nullable().describe('seed of the order; null for the order of the dataset'),
  keepFailed: z.boolean().describe('keep the files of attempts that did not pass'),
  createdAt: z.iso.datetime(),
  environment: z
    .record(z.string(), z.string())
    .describe('versions of Carrel, Node, git, the agent and the kernel, and the platform'),
});
/** The options of a batch, as `run.json` records them. */
export type BatchPlan = Readonly<z.infer<typeof BatchPlanSchema>>;

const TotalsSchema = z.object({
  passed: z.int(),
  failed: z.int().describe('did not pass, including agent errors, timeouts and limits'),
  errors: z.int().describe('grader errors and infrastructure failures: not graded'),
  cancelled: z.int(),
});
/** The attempts of a batch, counted by outcome. */
export type Totals = Readonly<z.infer<typeof TotalsSchema>>;

/** A batch as `eval show` and the API report it. */
export const BatchRunSchema = BatchPlanSchema.extend({
  directory: z.string(),
  status: z
    .enum(['running', 'finished', 'stopped', 'interrupted'])
    .describe(
      'finished: all attempts are done; stopped: by the user or a limit; interrupted: its process died',
    ),
  totals: TotalsSchema,
  passRate: z.number().nullable().describe('passed attempts of the graded ones; null when none was graded'),
  passRateOfAll: z.number().nullable().describe('passed attempts of all requested ones'),
  passAtK: z.record(z.string(), z.number()).describe('probability that one of k attempts passes, by k'),
  costUsd: z.number().nullable().describe('cost of the attempts that count'),
  spentUsd: z.number().nullable().describe('total cost, including repeated attempts'),
  durationMs: z.int(),
  attempts: z.array(AttemptSchema),
}).meta({ id: 'batch-run', title: 'Batch run' });
/** A batch with its results: status, totals, pass rates, cost and every attempt. */
export type BatchRun = Readonly<z.infer<typeof BatchRunSchema>>;
