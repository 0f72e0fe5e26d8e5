import { z } from 'zod';
import { ATTEMPT_ISOLATIONS, OUTCOMES } from './attempt.js';

const IntervalSchema = z.object({ low: z.number(), high: z.number() }).describe('of 95 percent');
export type Interval = Readonly<z.infer<typeof IntervalSchema>>;

const ComparedRunSchema = z.object({
  id: z.string(),
  dataset: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  isolation: z.enum(ATTEMPT_ISOLATIONS),
  tasks: z.int().describe('that were judged at least once'),
  solved: z.int().describe('of these; more than half of the judged attempts passed'),
  passRate: z.number().nullable().describe('passed among the attempts that were judged'),
  passRateInterval: IntervalSchema.nullable().describe(
    'Wilson; over tasks, as attempts of one task depend on each other',
  ),
  costUsd: z.number().nullable().describe('of the attempts that count'),
  spentUsd: z.number().nullable().describe('in all: with attempts that had to be made again'),
  medianCostUsd: z.number().nullable().describe('of an attempt'),
  medianAgentMs: z.number().nullable().describe('time of the agent in an attempt'),
});
export type ComparedRun = Readonly<z.infer<typeof ComparedRunSchema>>;

const TaskCellSchema = z.object({
  itemHash: z
    .string()
    .nullable()
    .describe('of the task as it was; null when it changed between its attempts'),
  outcome: z.enum(OUTCOMES).describe('of the only attempt; of several, what most of them came to'),
  solved: z.boolean().nullable().describe('null when no attempt was judged'),
  passed: z.int(),
  judged: z.int(),
  score: z.number().nullable().describe('mean of the judged attempts, from 0 to 1'),
  costUsd: z.number().nullable().describe('mean of an attempt'),
  agentMs: z.number().describe('mean of an attempt'),
});
export type TaskCell = Readonly<z.infer<typeof TaskCellSchema>>;

const ComparedTaskSchema = z.object({
  taskId: z.string(),
  cells: z.array(TaskCellSchema.nullable()).describe('one for each run; null where the run has none'),
});
export type ComparedTask = Readonly<z.infer<typeof ComparedTaskSchema>>;

const RunPairSchema = z.object({
  baseline: z.string().describe('id of the first run'),
  other: z.string(),
  tasks: z.int().describe('judged in both and the same in both: what the figures below are about'),
  both: z.int(),
  onlyBaseline: z.int(),
  onlyOther: z.int(),
  neither: z.int(),
  regressions: z.array(z.string()).describe('tasks that only the baseline solves'),
  improvements: z.array(z.string()).describe('tasks that only the other solves'),
  pValue: z.number().nullable().describe("McNemar's exact test; null without tasks"),
  passRateDifference: z
    .number()
    .nullable()
    .describe("other minus baseline, means of the tasks' shares of passed attempts"),
  passRateDifferenceInterval: IntervalSchema.nullable().describe('paired bootstrap over tasks'),
  medianCostDifferenceUsd: z.number().nullable().describe('other minus baseline, median over tasks'),
  medianAgentMsDifference: z.number().nullable().describe('other minus baseline, median over tasks'),
});
export type RunPair = Readonly<z.infer<typeof RunPairSchema>>;

/** What `eval compare` tells. */
export const ComparisonSchema = z
  .object({
    runs: z.array(ComparedRunSchema).describe('the first is the baseline'),
    pairs: z.array(RunPairSchema).describe('each further run with the baseline'),
    tasks: z.array(ComparedTaskSchema).describe('all, also those that only some runs have'),
    notInAll: z.array(z.string()).describe('tasks that a run lacks'),
    changed: z.array(z.string()).describe('tasks whose content differs between runs: left out of the pairs'),
    differences: z
      .array(z.object({ setting: z.string(), values: z.array(z.string().nullable()) }))
      .describe('settings that are not the same in all runs, with the value of each run'),
    warnings: z.array(z.string()).describe('why the comparison may mislead'),
  })
  .meta({ id: 'comparison', title: 'Comparison of batch runs' });
export type Comparison = Readonly<z.infer<typeof ComparisonSchema>>;
