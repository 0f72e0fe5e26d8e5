import { z } from 'zod';
import { UsageSchema } from './usage.js';

/**
 * How an attempt came out. Only `infrastructure` is tried again; `passed` and `failed` are what the agent is judged by,
 * the agent's own errors, time-outs and limits count as not passed; the others count for nobody.
 */
export const OUTCOMES = [
  'passed',
  'failed',
  'agent-error',
  'agent-timeout',
  'limit',
  'grader-error',
  'infrastructure',
  'cancelled',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const ATTEMPT_ISOLATIONS = ['worktree', 'docker', 'full', 'none'] as const;
export type AttemptIsolation = (typeof ATTEMPT_ISOLATIONS)[number];

const GradeSchema = z.object({
  name: z.string(),
  kind: z.enum(['command', 'tests', 'files', 'reward', 'diff']),
  weight: z.number(),
  score: z.number().describe('from 0 to 1'),
  passed: z.boolean(),
  detail: z.string().nullable().describe('what was found, or the end of the output'),
  error: z.string().nullable().describe('why it could not judge; null when it could'),
  durationMs: z.int(),
});
export type Grade = Readonly<z.infer<typeof GradeSchema>>;

const TimingsSchema = z.object({
  acquireMs: z.int(),
  setupMs: z.int(),
  agentMs: z.int(),
  collectMs: z.int(),
  gradeMs: z.int(),
  releaseMs: z.int(),
});
export type Timings = Readonly<z.infer<typeof TimingsSchema>>;

/** One try of one task, as a line of index.jsonl and as attempt.json beside its patch and logs. */
export const AttemptSchema = z
  .object({
    taskId: z.string(),
    attempt: z.int().describe('from 1 on'),
    identity: z.string().describe('hash of everything that the result depends on'),
    itemHash: z
      .string()
      .describe('of the task as it was, graders included: results under different ones are not compared'),
    outcome: z.enum(OUTCOMES),
    score: z.number().describe('from 0 to 1'),
    graders: z.array(GradeSchema),
    usage: UsageSchema,
    costUsd: z.number().nullable(),
    startedAt: z.iso.datetime(),
    durationMs: z.int(),
    timings: TimingsSchema,
    exitCode: z.int().nullable().describe("of the agent's program"),
    setupExitCode: z
      .int()
      .nullable()
      .describe('of the setup command that failed before the agent began; null when none did'),
    message: z.string().nullable().describe('why it came out so, or the last words of the agent'),
    findings: z.array(z.string()).describe('what the agent did that looks like cheating, and other oddities'),
    patchPath: z.string().nullable().describe('relative to the directory of the run'),
    logPath: z.string(),
    worktreePath: z.string().nullable().describe('where the files were kept; null when they were not'),
    awaitsGrading: z
      .boolean()
      .describe('the agent has done its work and the patch is there; only judging it came to nothing'),
    retries: z.int().describe('how often infrastructure failed before'),
    environment: z
      .record(z.string(), z.string())
      .describe('where the agent worked: isolation, runtime, host, and versions as in the plan'),
  })
  .meta({ id: 'attempt', title: 'Attempt' });
export type Attempt = Readonly<z.infer<typeof AttemptSchema>>;
