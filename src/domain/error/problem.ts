import { z } from 'zod';

/** An error of the HTTP API: RFC 9457 (`application/problem+json`) with the fields of every Carrel error. */
export const ProblemSchema = z
  .object({
    type: z.string().describe('a relative address that is the same for every error with this code'),
    title: z.string().describe('when this happens, the same for every error with this code'),
    status: z.int(),
    detail: z.string().describe('what was received and what was expected, for people'),
    instance: z.string().optional().describe('the id of the failed request, as in the log'),
    code: z.string().describe('from the error catalog; programs branch on it'),
    kind: z.string(),
    hint: z.string().describe('what to do next'),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'problem', title: 'Problem' });
export type Problem = Readonly<z.infer<typeof ProblemSchema>>;
