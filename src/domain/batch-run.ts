import { z } from 'zod';
import { ATTEMPT_ISOLATIONS, AttemptSchema } from './attempt.js';

const TaskLabelsSchema = z.object({
  language: z.string().nullable(),
  difficulty: z.string().nullable(),
  tags: z.array(z.string()),
});
export type TaskLabels = Readonly<z.infer<typeof TaskLabelsSchema>>;

/** What was asked for, as run.json keeps it: all that `eval resume` needs. */
export const BatchPlanSchema = z.object({
  id: z.string().describe('run_ and 16 characters, sorted by time'),
  dataset: z.string().describe('its name, or the path that was given'),
  taskIds: z.array(z.string()).describe('in the order in which they are begun'),
  labels: z.record(z.string(), TaskLabelsSchema).describe('of the tasks, by id: what reports group them by'),
  skipped: z
    .array(z.object({ id: z.string(), reason: z.string() }))
    .describe('items that can not run, and why'),
  agent: z.string(),
  model: z.string().nullable(),
  isolation: z.enum(ATTEMPT_ISOLATIONS),
  parallelism: z.int(),
  attemptsPerTask: z.int(),
  costLimitUsd: z.number().nullable(),
  timeoutMs: z.int().nullable().describe('of an agent, where its task names none'),
  gate: z.number().nullable(),
  seed: z.string().nullable().describe('of the order; null for that of the data set'),
  keepFailed: z.boolean().describe('whether the files of attempts that did not pass are kept'),
  createdAt: z.iso.datetime(),
  environment: z
    .record(z.string(), z.string())
    .describe('versions of Carrel, Node, git, the agent and the kernel, and the platform'),
});
export type BatchPlan = Readonly<z.infer<typeof BatchPlanSchema>>;

const TotalsSchema = z.object({
  passed: z.int(),
  failed: z.int().describe('judged and not passed, with agent errors, time-outs and limits'),
  errors: z.int().describe('grader errors and infrastructure: nobody could judge'),
  cancelled: z.int(),
});
export type Totals = Readonly<z.infer<typeof TotalsSchema>>;

/** A batch as `eval show` and the API tell it. */
export const BatchRunSchema = BatchPlanSchema.extend({
  directory: z.string(),
  status: z
    .enum(['running', 'finished', 'stopped', 'interrupted'])
    .describe(
      'finished: every attempt is there; stopped: by a person or a limit; interrupted: its process died',
    ),
  totals: TotalsSchema,
  passRate: z.number().nullable().describe('passed among those that were judged; null when none was'),
  passRateOfAll: z.number().nullable().describe('passed among all that were asked for'),
  passAtK: z.record(z.string(), z.number()).describe('chance that one of k attempts passes, by k'),
  costUsd: z.number().nullable().describe('of the attempts that count'),
  spentUsd: z.number().nullable().describe('in all: with attempts that had to be made again'),
  durationMs: z.int(),
  attempts: z.array(AttemptSchema),
}).meta({ id: 'batch-run', title: 'Batch run' });
export type BatchRun = Readonly<z.infer<typeof BatchRunSchema>>;
