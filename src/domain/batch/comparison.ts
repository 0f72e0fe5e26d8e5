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
  tasks: z.int().describe('tasks that were graded at least once'),
  solved: z.int().describe('tasks of which more than half of the graded attempts passed'),
  passRate: z.number().nullable().describe('passed attempts of the graded ones'),
  passRateInterval: IntervalSchema.nullable().describe(
    'Wilson interval over tasks, because attempts at the same task are not independent',
  ),
  costUsd: z.number().nullable().describe('cost of the attempts that count'),
  spentUsd: z.number().nullable().describe('total cost, including repeated attempts'),
  medianCostUsd: z.number().nullable().describe('per attempt'),
  medianAgentMs: z.number().nullable().describe('agent time per attempt'),
});
export type ComparedRun = Readonly<z.infer<typeof ComparedRunSchema>>;

const TaskCellSchema = z.object({
  itemHash: z.string().nullable().describe('digest of the task; null when it changed between its attempts'),
  outcome: z.enum(OUTCOMES).describe('outcome of the attempt; the most frequent one of several'),
  solved: z.boolean().nullable().describe('null when no attempt was graded'),
  passed: z.int(),
  judged: z.int(),
  score: z.number().nullable().describe('mean of the graded attempts, from 0 to 1'),
  costUsd: z.number().nullable().describe('mean per attempt'),
  agentMs: z.number().describe('mean per attempt'),
});
export type TaskCell = Readonly<z.infer<typeof TaskCellSchema>>;

const ComparedTaskSchema = z.object({
  taskId: z.string(),
  cells: z.array(TaskCellSchema.nullable()).describe('one for each run; null where the run lacks the task'),
});
export type ComparedTask = Readonly<z.infer<typeof ComparedTaskSchema>>;

const RunPairSchema = z.object({
  baseline: z.string().describe('id of the first run'),
  other: z.string(),
  tasks: z.int().describe('unchanged tasks that were graded in both runs; the figures below cover these'),
  both: z.int(),
  onlyBaseline: z.int(),
  onlyOther: z.int(),
  neither: z.int(),
  regressions: z.array(z.string()).describe('tasks that only the baseline solves'),
  improvements: z.array(z.string()).describe('tasks that only the other run solves'),
  pValue: z.number().nullable().describe("McNemar's exact test; null without tasks"),
  passRateDifference: z
    .number()
    .nullable()
    .describe("other minus baseline, means of each task's share of passed attempts"),
  passRateDifferenceInterval: IntervalSchema.nullable().describe('paired bootstrap over tasks'),
  medianCostDifferenceUsd: z.number().nullable().describe('other minus baseline, median over tasks'),
  medianAgentMsDifference: z.number().nullable().describe('other minus baseline, median over tasks'),
});
export type RunPair = Readonly<z.infer<typeof RunPairSchema>>;

/** The output of `eval compare`. */
export const ComparisonSchema = z
  .object({
    runs: z.array(ComparedRunSchema).describe('the first is the baseline'),
    pairs: z.array(RunPairSchema).describe('each other run against the baseline'),
    tasks: z.array(ComparedTaskSchema).describe('all tasks, including those that only some runs have'),
    notInAll: z.array(z.string()).describe('tasks that at least one run lacks'),
    changed: z.array(z.string()).describe('tasks whose content differs between runs; left out of the pairs'),
    differences: z
      .array(z.object({ setting: z.string(), values: z.array(z.string().nullable()) }))
      .describe('settings that differ between runs, with the value of each run'),
    warnings: z.array(z.string()).describe('why the comparison may be misleading'),
  })
  .meta({ id: 'comparison', title: 'Comparison of batch runs' });
/** Batches compared task by task, with a test of whether the difference may be random. */
export type Comparison = Readonly<z.infer<typeof ComparisonSchema>>;
