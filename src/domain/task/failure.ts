import { z } from 'zod';

/** Every way that a stage or a task can fail. */
const FAILURE_KINDS = [
  'program-missing',
  'key-missing',
  'agent-failed',
  'timed-out',
  'rate-limited',
  'limit',
  'checks-failed',
  'outputs-missing',
  'rejected',
  'merge-conflict',
  'workspace-lost',
  'checkout-changed',
  'branch-left',
  'operation-in-progress',
  'isolation',
  'sandbox-failed',
  'validation-failed',
  'land-failed',
  'disk-full',
  'internal',
] as const;

export const FailureSchema = z.object({
  kind: z.enum(FAILURE_KINDS),
  stage: z.string().nullable().describe('the stage that failed; null when no stage did'),
  message: z.string().describe('what failed, with the actual and the expected value'),
  hint: z.string().describe('what to do next'),
  output: z.string().nullable().describe('the end of the output; null when there was none'),
});
export type Failure = Readonly<z.infer<typeof FailureSchema>>;
export type FailureKind = Failure['kind'];
