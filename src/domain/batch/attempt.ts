import { z } from 'zod';
import { UsageSchema } from '../agent/usage.js';

/**
 * The outcome of an attempt. Only `infrastructure` is retried. `passed` and `failed` are grades; the agent's errors,
 * timeouts and limits count as not passed; the others do not count.
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
/** The outcome of an attempt. `passed` and `failed` are grades; `infrastructure` is tried again. */
export type Outcome = (typeof OUTCOMES)[number];

export const ATTEMPT_ISOLATIONS = ['worktree', 'docker', 'full', 'none'] as const;
/** Where the attempts of a batch run: in a worktree, a container, a sandbox, or a plain copy. */
export type AttemptIsolation = (typeof ATTEMPT_ISOLATIONS)[number];

const GradeSchema = z.object({
  name: z.string(),
  kind: z.enum(['command', 'tests', 'files', 'reward', 'diff']),
  weight: z.number(),
  score: z.number().describe('from 0 to 1'),
  passed: z.boolean(),
  detail: z.string().nullable().describe('the finding, or the end of the output'),
  error: z.string().nullable().describe('why grading failed; null when it succeeded'),
  durationMs: z.int(),
});
/** The score that one grader gave an attempt. */
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
    attempt: z.int().describe('counts from 1'),
    identity: z.string().describe('hash of everything that the result depends on'),
    itemHash: z
      .string()
      .describe('digest of the task and its graders; results with different digests are not compared'),
    outcome: z.enum(OUTCOMES),
    score: z.number().describe('from 0 to 1'),
    graders: z.array(GradeSchema),
    usage: UsageSchema,
    costUsd: z.number().nullable(),
    startedAt: z.iso.datetime(),
    durationMs: z.int(),
    timings: TimingsSchema,
    exitCode: z.int().nullable().describe("exit status of the agent's program"),
    setupExitCode: z
      .int()
      .nullable()
      .describe(
        'exit status of the setup command that failed before the agent started; null when none failed',
      ),
    message: z.string().nullable().describe('the reason for the outcome, or the last message of the agent'),
    agentMessage: z
      .string()
      .optional()
      .describe('the last message of the agent, while its work has to be graded again'),
    findings: z.array(z.string()).describe('signs of cheating, and other anomalies'),
    patchPath: z.string().nullable().describe('relative to the directory of the run'),
    logPath: z.string(),
    worktreePath: z.string().nullable().describe('path of the kept files; null when they were not kept'),
    awaitsGrading: z.boolean().describe('the agent finished and the patch exists; only grading failed'),
    retries: z.int().describe('how often the infrastructure failed before'),
    environment: z
      .record(z.string(), z.string())
      .describe('where the agent worked: isolation, runtime, host, and versions as in the plan'),
  })
  .meta({ id: 'attempt', title: 'Attempt' });
/** One attempt at one task of a batch: outcome, score, grades, usage, timings, and where its patch and log are. */
export type Attempt = Readonly<z.infer<typeof AttemptSchema>>;
